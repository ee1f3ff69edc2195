// The particles, faces, sticks and tubes of a topology as buffers of the GPU. The positions of a frame are uploaded
// once and unchanged into a texture, from which all shaders read them by index. The GPU also computes the normals.

import { NONE } from '../protocol.js';
import { ArrayTexture, TEXEL, buffer, program } from './gl.js';
import { tubesOf } from './tubes.js';

/** The texture units that shaders use. */
export const TEXTURE_UNIT = { positions: 0, shadow: 1, corners: 2 };

/** GLSL: the position of a vertex. */
export const POSITION = `
uniform highp sampler2D u_positions;
${TEXEL}
vec3 position(uint i) { return texelFetch(u_positions, texel(i), 0).xyz; }
`;

const NORMALS = `
layout(location = 0) in uvec2 a_range;   // the first pair of corners of the vertex, and the number of pairs
uniform highp usampler2D u_corners;
out vec3 v_normal;
${POSITION}
void main() {
  vec3 here = position(uint(gl_VertexID));
  vec3 sum = vec3(0.0);
  for (uint i = 0u; i < a_range.y; i++) {
    uvec2 corner = texelFetch(u_corners, texel(a_range.x + i), 0).xy;
    // If both indices are equal, the face was removed.
    if (corner.x != corner.y) sum += cross(position(corner.x) - here, position(corner.y) - here);
  }
  float size = length(sum);
  v_normal = size > 0.0 ? sum / size : vec3(0.0, 0.0, 1.0);
  gl_Position = vec4(0.0);
}`;

/** The maximum number of changed elements that are uploaded one by one. If more change, all elements are uploaded. */
const SINGLE_UPLOADS_MAX = 64;

export class Matter {
  constructor(gl) {
    this.gl = gl;
    this.normalsProgram = program(gl, NORMALS, 'void main() {}', ['v_normal']);
    this.feedback = gl.createTransformFeedback();
    this.mesh = null;
    this.buffers = [];
  }

  /** Uploads a topology. Tubes are made later, because their thickness depends on the first positions. */
  setMesh(mesh) {
    this.free();
    const { gl } = this;
    this.mesh = mesh;
    this.tubes = null;
    this.positions = new ArrayTexture(gl, mesh.vertices, {
      internal: gl.RGB32F, format: gl.RGB, type: gl.FLOAT, components: 3,
    });
    this.faces = this.register(buffer(gl, gl.ELEMENT_ARRAY_BUFFER, mesh.faces));
    this.ends = this.register(buffer(gl, gl.ARRAY_BUFFER, mesh.drawnSticks));
    this.rests = null;
    this.normals = null;
    if (mesh.hasSmoothFaces) this.setNormals(mesh);
  }

  /** Prepares the computation of normals. */
  setNormals(mesh) {
    const { gl } = this;
    const { ranges, corners, cornerIndices } = mesh.adjacency();
    this.corners = new ArrayTexture(gl, corners.length / 2, {
      internal: gl.RG32UI, format: gl.RG_INTEGER, type: gl.UNSIGNED_INT, components: 2,
    });
    this.corners.fill(corners);
    Object.assign(this, { cornerData: corners, cornerIndices });
    this.ranges = this.register(buffer(gl, gl.ARRAY_BUFFER, ranges));
    this.normals = this.register(buffer(gl, gl.ARRAY_BUFFER, 12 * mesh.vertices, gl.DYNAMIC_COPY));
    this.normalsArray = gl.createVertexArray();
    gl.bindVertexArray(this.normalsArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.ranges);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 2, gl.UNSIGNED_INT, 0, 0);
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
  }

  /** Uploads the rest lengths of sticks. */
  setRests(rests) {
    this.mesh.rests = rests;
    this.rests = this.register(buffer(this.gl, this.gl.ARRAY_BUFFER, rests));
  }

  /** Registers a buffer, which `free` deletes. */
  register(handle) {
    this.buffers.push(handle);
    return handle;
  }

  /** Deletes everything that belongs to the topology. */
  free() {
    for (const handle of this.buffers) this.gl.deleteBuffer(handle);
    this.buffers = [];
    this.positions?.free();
    this.corners?.free();
    this.corners = null;
    if (this.normalsArray) this.gl.deleteVertexArray(this.normalsArray);
    this.normalsArray = null;
  }

  /** Uploads removed faces and torn sticks. Call it after `Mesh.remove`. */
  remove({ faces, sticks }) {
    const { gl, mesh } = this;
    this.update(gl.ELEMENT_ARRAY_BUFFER, this.faces, mesh.faces, faces, 3);
    this.update(gl.ARRAY_BUFFER, this.ends, mesh.drawnSticks, sticks, 2);
    if (this.corners) {
      const removed = [];
      for (const face of faces) {
        for (let corner = 3 * face; corner < 3 * face + 3; corner++) {
          const index = this.cornerIndices[corner];
          if (index === NONE) continue;
          this.cornerData[2 * index + 1] = this.cornerData[2 * index]; // equal indices: removed
          removed.push(index);
        }
      }
      if (removed.length > SINGLE_UPLOADS_MAX) this.corners.fill(this.cornerData);
      else for (const index of removed) this.corners.update(index, this.cornerData);
    }
    if (this.tubes) {
      const torn = [...sticks].map((stick) => this.tubes.byStick.get(stick)).filter((tube) => tube !== undefined);
      for (const tube of torn) {
        this.tubes.ends.fill(0, 2 * tube, 2 * tube + 2);
        this.tubes.radii.fill(0, 2 * tube, 2 * tube + 2);
      }
      this.update(gl.ARRAY_BUFFER, this.tubeEnds, this.tubes.ends, torn, 2);
      this.update(gl.ARRAY_BUFFER, this.tubeRadii, this.tubes.radii, torn, 2);
    }
  }

  /** Uploads the elements `ids` of `data` to the buffer `handle`; each element has `words` 32-bit words. */
  update(target, handle, data, ids, words) {
    const { gl } = this;
    if (!ids.length) return;
    gl.bindVertexArray(null);
    gl.bindBuffer(target, handle);
    if (ids.length > SINGLE_UPLOADS_MAX) gl.bufferSubData(target, 0, data);
    else for (const id of ids) gl.bufferSubData(target, 4 * words * id, data, words * id, words);
  }

  /**
   * Uploads the positions of a frame, and computes the normals. Makes the tubes, if this is the first frame.
   * `colourOf(index)` returns the colour of the tubes of the part `index`.
   */
  setPositions(positions, colourOf) {
    this.positions.fill(positions);
    if (!this.tubes) this.setTubes(positions, colourOf);
    if (this.normals && this.corners.length) this.computeNormals();
  }

  /** Makes and uploads the tubes. */
  setTubes(positions, colourOf) {
    const { gl } = this;
    this.tubes = tubesOf(this.mesh, positions);
    this.tubeEnds = this.register(buffer(gl, gl.ARRAY_BUFFER, this.tubes.ends));
    this.tubeRadii = this.register(buffer(gl, gl.ARRAY_BUFFER, this.tubes.radii));
    const colours = new Float32Array(this.tubes.parts.flatMap(colourOf));
    this.tubeColours = this.register(buffer(gl, gl.ARRAY_BUFFER, colours));
  }

  /** Computes the normals of all vertices into the buffer `normals`. */
  computeNormals() {
    const { gl, normalsProgram: { handle, uniforms } } = this;
    gl.useProgram(handle);
    this.positions.bind(TEXTURE_UNIT.positions);
    this.corners.bind(TEXTURE_UNIT.corners);
    gl.uniform1i(uniforms.u_positions, TEXTURE_UNIT.positions);
    gl.uniform1i(uniforms.u_corners, TEXTURE_UNIT.corners);
    gl.bindVertexArray(this.normalsArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, null); // WebGL forbids another binding of a transform feedback buffer
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, this.feedback);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, this.normals);
    gl.enable(gl.RASTERIZER_DISCARD);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArrays(gl.POINTS, 0, this.mesh.vertices);
    gl.endTransformFeedback();
    gl.disable(gl.RASTERIZER_DISCARD);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    gl.bindVertexArray(null);
  }
}
