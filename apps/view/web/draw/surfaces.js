// Draws faces (cloth, leaves, bodies) and tubes, either lit or only their depth, for the shadow map.

import { program } from './gl.js';
import { POSITION, TEXTURE_UNIT } from './matter.js';
import { SHADING, setShading } from './shading.js';
import { tube } from './solids.js';

const FACE_VERTEX = `
layout(location = 0) in vec3 a_normal;
${POSITION}
uniform mat4 u_viewProjection;
uniform uvec2 u_sheet;   // the first particle and the number of columns of a regular sheet; 0 columns: not a sheet
out vec3 v_position, v_normal;
out vec2 v_thread;       // column and row in the sheet
void main() {
  uint i = uint(gl_VertexID);
  v_position = position(i);
  v_normal = a_normal;
  uint id = i - u_sheet.x;   // the index of the particle in the sheet
  v_thread = u_sheet.y > 0u ? vec2(id % u_sheet.y, id / u_sheet.y) : vec2(0.0);
  gl_Position = u_viewProjection * vec4(v_position, 1.0);
}`;

const FACE_FRAGMENT = `
in vec3 v_position, v_normal;
in vec2 v_thread;
uniform vec3 u_front, u_back;
uniform uvec2 u_sheet;
uniform float u_flat;              // 1: a body: flat shading, both sides in the colour of the front
uniform float u_through, u_gloss;  // see SHADING
uniform float u_checks;            // columns per check
out vec4 colour;
${SHADING}
/** A square wave between 0 and 1, which changes every \`each\`, with edges that are smooth over a pixel. */
float squareWave(float x, float each) {
  float f = fract(x / (2.0 * each)) * 2.0;
  float soft = max(fwidth(x / each), 1e-4);
  return clamp((0.5 - abs(f - 1.0)) / soft + 0.5, 0.0, 1.0);
}
void main() {
  vec3 n = v_normal;
  vec3 view = u_eye - v_position;
  if (u_flat > 0.0) {
    n = normalize(cross(dFdx(v_position), dFdy(v_position)));
    if (dot(n, view) < 0.0) n = -n;
  } else {
    n = normalize(gl_FrontFacing ? n : -n);
  }
  vec3 albedo = gl_FrontFacing || u_flat > 0.0 ? u_front : u_back;
  if (u_sheet.y > 0u) {
    // A woven check pattern: half of it along the warp, half along the weft.
    float check = 0.5 * (squareWave(v_thread.x, u_checks) + squareWave(v_thread.y, u_checks));
    albedo *= mix(0.88, 1.08, check);
  }
  colour = toSrgb(shade(albedo, v_position, n, u_gloss, 1.0 - u_flat, u_through));
}`;

const TUBE_VERTEX = `
layout(location = 0) in vec4 a_vertex;   // direction from the nearer end, and the index of that end
layout(location = 1) in uvec2 a_ends;
layout(location = 2) in vec2 a_radii;
layout(location = 3) in vec3 a_colour;
${POSITION}
uniform mat4 u_viewProjection;
out vec3 v_position, v_normal, v_colour;
void main() {
  vec3 a = position(a_ends.x), b = position(a_ends.y);
  vec3 y = b - a;
  float size = length(y);
  y = size > 0.0 ? y / size : vec3(0.0, 1.0, 0.0);
  vec3 x = normalize(cross(y, abs(y.x) < 0.7 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0)));
  v_normal = mat3(x, y, cross(x, y)) * a_vertex.xyz;
  v_position = mix(a, b, a_vertex.w) + v_normal * mix(a_radii.x, a_radii.y, a_vertex.w);
  v_colour = a_colour;
  gl_Position = u_viewProjection * vec4(v_position, 1.0);
  if (isnan(size)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);   // a broken tie: out of view
}`;

const TUBE_FRAGMENT = `
in vec3 v_position, v_normal, v_colour;
out vec4 colour;
${SHADING}
void main() {
  colour = toSrgb(shade(v_colour, v_position, normalize(v_normal), 0.12, 0.4, 0.0));
}`;

const DEPTH = 'void main() {}';

/** Number of checks of the woven pattern across a sheet. */
const CHECKS = 12;

export class Surfaces {
  constructor(gl) {
    this.gl = gl;
    this.faces = { lit: program(gl, FACE_VERTEX, FACE_FRAGMENT), depth: program(gl, FACE_VERTEX, DEPTH) };
    this.tubes = { lit: program(gl, TUBE_VERTEX, TUBE_FRAGMENT), depth: program(gl, TUBE_VERTEX, DEPTH) };
    const { vertices, indices } = tube();
    this.tubeIndexCount = indices.length;
    const upload = (target, data) => {
      const handle = gl.createBuffer();
      gl.bindVertexArray(null);
      gl.bindBuffer(target, handle);
      gl.bufferData(target, data, gl.STATIC_DRAW);
      return handle;
    };
    this.tubeVertices = upload(gl.ARRAY_BUFFER, vertices);
    this.tubeIndices = upload(gl.ELEMENT_ARRAY_BUFFER, indices);
  }

  /** Deletes the vertex arrays, which refer to the buffers of the previous topology. */
  reset() {
    this.gl.deleteVertexArray(this.faceArray ?? null);
    this.gl.deleteVertexArray(this.tubeArray ?? null);
    this.faceArray = this.tubeArray = null;
  }

  /** Makes the vertex array of all faces. */
  prepareFaces(matter) {
    const { gl } = this;
    this.faceArray = gl.createVertexArray();
    gl.bindVertexArray(this.faceArray);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, matter.faces);
    if (matter.normals) {
      gl.bindBuffer(gl.ARRAY_BUFFER, matter.normals);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    }
  }

  /** Makes the vertex array of all tubes: one instance per tube. */
  prepareTubes(matter) {
    const { gl } = this;
    this.tubeArray = gl.createVertexArray();
    gl.bindVertexArray(this.tubeArray);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.tubeIndices);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.tubeVertices);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, matter.tubeEnds);
    gl.vertexAttribIPointer(1, 2, gl.UNSIGNED_INT, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, matter.tubeRadii);
    gl.vertexAttribPointer(2, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, matter.tubeColours);
    gl.vertexAttribPointer(3, 3, gl.FLOAT, false, 0, 0);
    for (const location of [1, 2, 3]) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribDivisor(location, 1);
    }
  }

  /** Activates one of the four programs, with `lightMatrix` or, without it, with the matrix of the camera. */
  begin({ handle, uniforms }, view, lightMatrix) {
    const { gl } = this;
    gl.useProgram(handle);
    view.matter.positions.bind(TEXTURE_UNIT.positions);
    gl.uniform1i(uniforms.u_positions, TEXTURE_UNIT.positions);
    gl.uniformMatrix4fv(uniforms.u_viewProjection, false, lightMatrix ?? view.camera.viewProjection);
    if (!lightMatrix) setShading(gl, uniforms, view);
  }

  /** Draws all faces and tubes, or with `lightMatrix` only their depth, for the shadow map. */
  draw(view, lightMatrix) {
    const { gl } = this;
    const { matter } = view;
    const kind = lightMatrix ? 'depth' : 'lit';
    if (matter.mesh.faces.length && view.options.surface) {
      this.begin(this.faces[kind], view, lightMatrix);
      if (!this.faceArray) this.prepareFaces(matter);
      gl.bindVertexArray(this.faceArray);
      matter.mesh.parts.forEach((part, index) => {
        if (part.faces[1]) this.drawPart(this.faces[kind], view, part, index, lightMatrix);
      });
    }
    if (matter.tubes?.count && view.options.surface) {
      this.begin(this.tubes[kind], view, lightMatrix);
      if (!this.tubeArray) this.prepareTubes(matter);
      gl.bindVertexArray(this.tubeArray);
      gl.drawElementsInstanced(gl.TRIANGLES, this.tubeIndexCount, gl.UNSIGNED_SHORT, 0, matter.tubes.count);
    }
    gl.bindVertexArray(null);
  }

  /** Draws the faces of a part. */
  drawPart({ uniforms }, { colours }, part, index, lightMatrix) {
    const { gl } = this;
    const [first, count] = part.faces;
    if (!lightMatrix) {
      const [front, back] = colours[index].faces;
      const columns = part.columns ?? 0;
      const isFlat = part.kind === 'body';
      gl.uniform3fv(uniforms.u_front, front);
      gl.uniform3fv(uniforms.u_back, back);
      gl.uniform1f(uniforms.u_flat, isFlat ? 1 : 0);
      gl.uniform1f(uniforms.u_through, isFlat ? 0 : part.kind === 'plant' ? 0.6 : 0.25);
      gl.uniform1f(uniforms.u_gloss, isFlat ? 0.15 : 0.03);
      gl.uniform2ui(uniforms.u_sheet, part.particles[0], columns);
      gl.uniform1f(uniforms.u_checks, Math.max(1, Math.round(columns / CHECKS)));
    }
    gl.drawElements(gl.TRIANGLES, 3 * count, gl.UNSIGNED_INT, 12 * first);
  }
}
