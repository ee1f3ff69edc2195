// Helpers for WebGL2: programs, buffers, and arrays in textures.

/**
 * Compiles a program from the texts of its shaders, which fix the locations of attributes. Returns its
 * `handle`, and `uniforms`: the locations of its uniforms by name. `feedback`: the names of the varyings
 * that transform feedback writes, if any.
 */
export function program(gl, vertex, fragment, feedback) {
  const handle = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, `#version 300 es\nprecision highp float;\nprecision highp int;\n${text}`);
    gl.compileShader(shader);
    gl.attachShader(handle, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
      throw new Error(`${gl.getShaderInfoLog(shader)}\n${text}`);
    }
  }
  if (feedback) gl.transformFeedbackVaryings(handle, feedback, gl.SEPARATE_ATTRIBS);
  gl.linkProgram(handle);
  if (!gl.getProgramParameter(handle, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(gl.getProgramInfoLog(handle));
  }
  const uniforms = {};
  const count = gl.getProgramParameter(handle, gl.ACTIVE_UNIFORMS) ?? 0;
  for (let i = 0; i < count; i++) {
    const { name } = gl.getActiveUniform(handle, i);
    uniforms[name] = gl.getUniformLocation(handle, name);
  }
  return { handle, uniforms };
}

/** Creates a buffer that holds `data`. */
export function buffer(gl, target, data, usage = gl.STATIC_DRAW) {
  const handle = gl.createBuffer();
  gl.bindBuffer(target, handle);
  gl.bufferData(target, data, usage);
  return handle;
}

/** Width of the textures that hold arrays, in texels. */
export const ROW = 1024;

/** GLSL: the coordinates of texel `i` of such a texture. */
export const TEXEL = `
ivec2 texel(uint i) { return ivec2(int(i & ${ROW - 1}u), int(i >> ${Math.log2(ROW)}u)); }
`;

/** An array in a texture: one element, of `components` numbers, per texel. */
export class ArrayTexture {
  constructor(gl, length, { internal, format, type, components }) {
    Object.assign(this, { gl, length, format, type, components });
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, internal, ROW, Math.max(1, Math.ceil(length / ROW)));
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    }
  }

  /** Uploads all elements: the full rows of the texture in one call, the rest in a second call. */
  fill(data) {
    const { gl, format, type, components } = this;
    const count = Math.min(data.length / components, this.length);
    const rows = Math.floor(count / ROW);
    const rest = count - rows * ROW;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    if (rows) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, rows, format, type, data, 0);
    if (rest) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, rows, rest, 1, format, type, data, rows * ROW * components);
  }

  /** Uploads the element `index` of `data`. */
  update(index, data) {
    const { gl, format, type, components } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texSubImage2D(
      gl.TEXTURE_2D, 0, index % ROW, Math.floor(index / ROW), 1, 1, format, type, data, index * components,
    );
  }

  /** Binds the texture to a texture unit. */
  bind(unit) {
    this.gl.activeTexture(this.gl.TEXTURE0 + unit);
    this.gl.bindTexture(this.gl.TEXTURE_2D, this.texture);
  }

  /** Deletes the texture. */
  free() {
    this.gl.deleteTexture(this.texture);
  }
}
