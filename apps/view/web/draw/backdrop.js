// The background: a gradient and, in 2-D, a grid whose cells are a power of ten in metres.

import { program } from './gl.js';

const VERTEX = `
out vec2 v_ndc;
void main() {
  // One triangle that covers the whole picture.
  v_ndc = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(v_ndc, 1.0, 1.0);
}`;

const FRAGMENT = `
in vec2 v_ndc;
uniform vec3 u_top, u_bottom, u_grid;
uniform vec4 u_window;   // in 2-D, the visible part of the plane: centre, half width and half height, m
uniform float u_cell;    // size of a grid cell, m; 0: no grid
out vec4 colour;
float grid(vec2 x) {
  vec2 w = max(fwidth(x), 1e-6);
  vec2 line = clamp(1.0 - abs(fract(x - 0.5) - 0.5) / w, 0.0, 1.0);
  return max(line.x, line.y);
}
void main() {
  float away = length(v_ndc - vec2(-0.15, 0.35)) / 1.75;
  vec3 base = mix(u_top, u_bottom, smoothstep(0.0, 1.0, away));
  if (u_cell > 0.0) {
    vec2 at = (u_window.xy + v_ndc * u_window.zw) / u_cell;
    base = mix(base, u_grid, 0.10 * grid(at) + 0.16 * grid(at / 5.0));
  }
  // Dithering: without it, the steps of a gradient of eight bits would be visible.
  base += (fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5) / 255.0;
  colour = vec4(base, 1.0);
}`;

export class Backdrop {
  constructor(gl) {
    this.gl = gl;
    this.program = program(gl, VERTEX, FRAGMENT);
    this.array = gl.createVertexArray();
  }

  draw({ theme, camera }) {
    const { gl, program: { handle, uniforms } } = this;
    gl.useProgram(handle);
    gl.uniform3fv(uniforms.u_top, theme.top);
    gl.uniform3fv(uniforms.u_bottom, theme.bottom);
    gl.uniform3fv(uniforms.u_grid, theme.grid);
    gl.uniform4fv(uniforms.u_window, camera.window ?? [0, 0, 1, 1]);
    gl.uniform1f(uniforms.u_cell, camera.window ? 10 ** Math.floor(Math.log10(camera.window[3] / 2)) : 0);
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindVertexArray(null);
  }
}
