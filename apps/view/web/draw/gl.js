// WebGL2 helpers: programs, buffers, and arrays in textures.

/**
 * Compiles a program: `it`, and the locations of its uniforms by name, `at`. The shader text fixes
 * the locations of attributes. `feedback` names the varyings that transform feedback writes.
 */
export function program(gl, vertex, fragment, feedback) {
  const it = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, `#version 300 es\nprecision highp float;\nprecision highp int;\n${text}`);
    gl.compileShader(shader);
    gl.attachShader(it, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
      throw new Error(`${gl.getShaderInfoLog(shader)}\n${text}`);
    }
  }
  if (feedback) gl.transformFeedbackVaryings(it, feedback, gl.SEPARATE_ATTRIBS);
  gl.linkProgram(it);
  if (!gl.getProgramParameter(it, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(gl.getProgramInfoLog(it));
  }
  const at = {};
  const count = gl.getProgramParameter(it, gl.ACTIVE_UNIFORMS) ?? 0;
  for (let i = 0; i < count; i++) {
    const { name } = gl.getActiveUniform(it, i);
    at[name] = gl.getUniformLocation(it, name);
  }
  return { it, at };
}

/** Creates a buffer that holds `data`. */
export function buffer(gl, target, data, usage = gl.STATIC_DRAW) {
  const it = gl.createBuffer();
  gl.bindBuffer(target, it);
  gl.bufferData(target, data, usage);
  return it;
}

/** Width of the textures that hold arrays, in texels; the shaders use it, too. */
export const ROW = 1024;

/** Shader text: the coordinates of texel number `i` of such a texture. */
export const TEXEL = `
ivec2 texel(uint i) { return ivec2(int(i & ${ROW - 1}u), int(i >> ${Math.log2(ROW)}u)); }
`;

/** An array in a texture. */
export class ArrayTexture {
  constructor(gl, length, { internal, format, type, parts }) {
    Object.assign(this, { gl, length, format, type, parts });
    this.it = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.it);
    gl.texStorage2D(gl.TEXTURE_2D, 1, internal, ROW, Math.max(1, Math.ceil(length / ROW)));
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    }
  }

  /** Uploads `data`: the full rows in one call, the rest in a second. */
  fill(data) {
    const { gl, format, type, parts } = this;
    const count = Math.min(data.length / parts, this.length);
    const rows = Math.floor(count / ROW);
    const rest = count - rows * ROW;
    gl.bindTexture(gl.TEXTURE_2D, this.it);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    if (rows) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, rows, format, type, data, 0);
    if (rest) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, rows, rest, 1, format, type, data, rows * ROW * parts);
  }

  /** Uploads one element of `data`. */
  update(index, data) {
    const { gl, format, type, parts } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.it);
    gl.texSubImage2D(
      gl.TEXTURE_2D, 0, index % ROW, Math.floor(index / ROW), 1, 1, format, type, data, index * parts,
    );
  }

  bind(unit) {
    this.gl.activeTexture(this.gl.TEXTURE0 + unit);
    this.gl.bindTexture(this.gl.TEXTURE_2D, this.it);
  }

  free() {
    this.gl.deleteTexture(this.it);
  }
}
