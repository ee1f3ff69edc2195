// Draws particles as round points: as dots a few pixels wide or, for grains in 3-D, as lit balls.

import { program } from './gl.js';
import { POSITION, TEXTURE_UNIT } from './matter.js';
import { SHADING, setShading } from './shading.js';

const VERTEX = `
${POSITION}
uniform mat4 u_viewProjection;
uniform float u_radius;     // m
uniform float u_pixels;     // the minimum radius, pixels
uniform float u_perMetre;   // pixels per metre: in 3-D at a distance of 1 m, in 2-D everywhere
uniform float u_depthOffset;   // towards the eye, in normalized device coordinates (depth from -1 to 1)
uniform uint u_first;       // the first particle to draw
out vec3 v_centre;
void main() {
  v_centre = position(u_first + uint(gl_VertexID));
  gl_Position = u_viewProjection * vec4(v_centre, 1.0);
  gl_Position.z -= u_depthOffset * gl_Position.w;
  gl_PointSize = max(2.0 * u_pixels, 2.0 * u_radius * u_perMetre / gl_Position.w);
  if (isnan(v_centre.x)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);   // a hidden particle: out of view
}`;

const DOT = `
uniform vec4 u_colour;
out vec4 colour;
void main() {
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  float wide = fwidth(at.x);
  float alpha = u_colour.a * clamp((1.0 - length(at)) / wide + 0.5, 0.0, 1.0);
  if (alpha < 0.01) discard;
  colour = vec4(u_colour.rgb * alpha, alpha);
}`;

const BALL = `
in vec3 v_centre;
uniform vec3 u_right, u_up;
uniform vec3 u_albedo;
uniform float u_radius;
out vec4 colour;
${SHADING}
void main() {
  vec2 at = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float r2 = dot(at, at);
  if (r2 > 1.0) discard;
  vec3 n = u_right * at.x + u_up * at.y + cross(u_right, u_up) * sqrt(1.0 - r2);
  colour = toSrgb(shade(u_albedo, v_centre + u_radius * n, n, 0.4, 0.0, 0.3));
}`;

export class Points {
  constructor(gl) {
    this.gl = gl;
    this.dot = program(gl, VERTEX, DOT);
    this.ball = program(gl, VERTEX, BALL);
    this.array = gl.createVertexArray();
  }

  /** Activates a program with the camera and a style: sizes of points in m and in pixels, and depth offset. */
  begin({ camera, matter }, { handle, uniforms }, { radius = 0, pixels = 0, depthOffset = 0, first = 0 }) {
    const { gl } = this;
    gl.useProgram(handle);
    matter.positions.bind(TEXTURE_UNIT.positions);
    gl.uniform1i(uniforms.u_positions, TEXTURE_UNIT.positions);
    gl.uniformMatrix4fv(uniforms.u_viewProjection, false, camera.viewProjection);
    gl.uniform1f(uniforms.u_radius, radius);
    gl.uniform1f(uniforms.u_pixels, pixels);
    gl.uniform1f(uniforms.u_perMetre, camera.pixelsPerMetre);
    gl.uniform1f(uniforms.u_depthOffset, depthOffset);
    gl.uniform1ui(uniforms.u_first, first);
    gl.bindVertexArray(this.array);
  }

  /** Draws `count` particles, from `first` on, as dots of one colour. */
  dots(view, [first, count], style) {
    const { gl } = this;
    this.begin(view, this.dot, { ...style, first });
    gl.uniform4fv(this.dot.uniforms.u_colour, style.colour);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.drawArrays(gl.POINTS, 0, count);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    gl.bindVertexArray(null);
  }

  /** Draws `count` particles, from `first` on, as lit balls of one colour (`style.albedo`). */
  balls(view, [first, count], style) {
    const { gl, ball: { uniforms } } = this;
    this.begin(view, this.ball, { ...style, first });
    setShading(gl, uniforms, view);
    gl.uniform3fv(uniforms.u_right, view.camera.right);
    gl.uniform3fv(uniforms.u_up, view.camera.up);
    gl.uniform3fv(uniforms.u_albedo, style.albedo);
    gl.drawArrays(gl.POINTS, 0, count);
    gl.bindVertexArray(null);
  }
}
