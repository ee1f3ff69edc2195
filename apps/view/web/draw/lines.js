// Draws flat lines with round ends between particles: sticks about a pixel wide and, in 2-D, tubes (ropes, ties, stems,
// limbs) in their true width.

import { program } from './gl.js';
import { POSITION, TEXTURE_UNIT } from './matter.js';

const VERTEX = `
layout(location = 0) in uvec2 a_ends;
layout(location = 1) in float a_rest;     // rest length, m; 0: the stretch is not shown
layout(location = 2) in vec2 a_radii;     // at both ends, m
layout(location = 3) in vec3 a_colour;    // linear RGB
${POSITION}
uniform mat4 u_viewProjection;
uniform vec2 u_size;        // size of the viewport, pixels
uniform float u_pixels;     // half the width, pixels; 0: use the radii
uniform float u_perMetre;   // pixels per metre, in 2-D
uniform float u_widen;      // added to half the width, pixels
uniform float u_depthOffset;   // towards the eye, in normalized device coordinates (depth from -1 to 1)
out vec2 v_at;              // position along and across the line, from its first end, pixels
flat out float v_length;    // length of the line, pixels
flat out vec2 v_half;       // half the width at both ends, pixels
flat out float v_stretch;   // as a fraction; negative: compression
flat out vec3 v_colour;
void main() {
  gl_Position = vec4(2.0, 2.0, 2.0, 1.0);   // out of view: if this function returns early, nothing is drawn
  bool isPoint = a_ends.x == a_ends.y;      // a torn or hidden stick, or a ball
  if (isPoint && (u_pixels > 0.0 || a_radii.x == 0.0)) return;
  vec3 pa = position(a_ends.x), pb = position(a_ends.y);
  vec4 a = u_viewProjection * vec4(pa, 1.0), b = u_viewProjection * vec4(pb, 1.0);
  if (!(a.w > 0.0 && b.w > 0.0)) return;    // an end is behind the eye, or its position is not a number
  vec2 half_ = 0.5 * u_size;
  vec2 sa = a.xy / a.w * half_, sb = b.xy / b.w * half_;
  vec2 along = sb - sa;
  float size = length(along);
  along = size > 1e-4 ? along / size : vec2(1.0, 0.0);
  vec2 across = vec2(-along.y, along.x);
  v_half = (u_pixels > 0.0 ? vec2(u_pixels) : a_radii * u_perMetre) + u_widen;
  float reach = max(v_half.x, v_half.y) + 1.0;   // a pixel more, for the smooth edge
  bool second = (gl_VertexID & 1) == 1;
  float side = (gl_VertexID & 2) == 2 ? 1.0 : -1.0;
  v_at = vec2(second ? size + reach : -reach, side * reach);
  v_length = size;
  v_stretch = a_rest > 0.0 ? distance(pa, pb) / a_rest - 1.0 : 0.0;
  v_colour = a_colour;
  vec4 from = second ? b : a;
  // With w = 1, v_at is interpolated linearly on the screen.
  vec2 corner = sa + along * v_at.x + across * v_at.y;
  gl_Position = vec4(corner / half_, from.z / from.w - u_depthOffset, 1.0);
}`;

const FRAGMENT = `
in vec2 v_at;
flat in float v_length;
flat in vec2 v_half;
flat in float v_stretch;
flat in vec3 v_colour;
uniform vec4 u_colour;
uniform vec3 u_long, u_short;
uniform float u_stretchRange;   // the stretch or compression that is shown in full colour; 0: they are not shown
uniform float u_own;     // 1: use the colour of each line; 0: use u_colour
out vec4 colour;
void main() {
  float t = v_length > 0.0 ? clamp(v_at.x / v_length, 0.0, 1.0) : 0.0;
  float wide = mix(v_half.x, v_half.y, t);
  // Signed distance from the edge of the line, pixels; negative inside.
  float far = length(v_at - vec2(t * v_length, 0.0)) - wide;
  float alpha = clamp(0.5 - far, 0.0, 1.0) * min(1.0, 2.0 * wide);   // lines narrower than a pixel are fainter
  vec3 base = mix(u_colour.rgb, pow(v_colour, vec3(1.0 / 2.2)), u_own);
  if (u_stretchRange > 0.0) {
    float s = clamp(v_stretch / u_stretchRange, -1.0, 1.0);
    base = mix(base, s > 0.0 ? u_long : u_short, sqrt(abs(s)));
  }
  alpha *= u_colour.a;
  if (alpha < 0.004) discard;
  colour = vec4(base * alpha, alpha);
}`;

export class Lines {
  constructor(gl) {
    this.gl = gl;
    this.program = program(gl, VERTEX, FRAGMENT);
    this.arrays = new Map();
  }

  /** Deletes the vertex arrays. Call it when a buffer that they refer to is replaced. */
  reset() {
    for (const array of this.arrays.values()) this.gl.deleteVertexArray(array);
    this.arrays.clear();
  }

  /**
   * Binds the vertex array `name`. Creates it on first use, from buffers with one element for each line, of which it
   * uses those from `first` on. `attributes`: for each location, the buffer (or null), the number of components and
   * whether they are integers.
   */
  bindArray(name, first, attributes) {
    const { gl } = this;
    const known = this.arrays.get(name);
    gl.bindVertexArray(known ?? gl.createVertexArray());
    if (known) return;
    this.arrays.set(name, gl.getParameter(gl.VERTEX_ARRAY_BINDING));
    attributes.forEach(([buffer, components, isInteger], location) => {
      if (!buffer) return;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(location);
      if (isInteger) gl.vertexAttribIPointer(location, components, gl.UNSIGNED_INT, 0, 4 * components * first);
      else gl.vertexAttribPointer(location, components, gl.FLOAT, false, 0, 4 * components * first);
      gl.vertexAttribDivisor(location, 1);
    });
  }

  /** Activates the program with the camera and a style (see the uniforms of the shaders). */
  begin({ camera, matter, theme }, { pixels, colour, depthOffset = 0, widen = 0, own = 0, stretchRange = 0 }) {
    const { gl, program: { handle, uniforms } } = this;
    gl.useProgram(handle);
    matter.positions.bind(TEXTURE_UNIT.positions);
    gl.uniform1i(uniforms.u_positions, TEXTURE_UNIT.positions);
    gl.uniformMatrix4fv(uniforms.u_viewProjection, false, camera.viewProjection);
    gl.uniform2f(uniforms.u_size, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.uniform1f(uniforms.u_pixels, pixels);
    gl.uniform1f(uniforms.u_perMetre, camera.pixelsPerMetre ?? 0);
    gl.uniform1f(uniforms.u_widen, widen);
    gl.uniform1f(uniforms.u_depthOffset, depthOffset);
    gl.uniform1f(uniforms.u_own, own);
    gl.uniform1f(uniforms.u_stretchRange, stretchRange);
    gl.uniform4fv(uniforms.u_colour, colour);
    gl.uniform3fv(uniforms.u_long, theme.long);
    gl.uniform3fv(uniforms.u_short, theme.short);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
  }

  /** Restores the state of WebGL after `begin`. */
  end() {
    const { gl } = this;
    gl.bindVertexArray(null);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  /** Draws all sticks; `style.pixels` is half their width. */
  sticks(view, style) {
    const { gl } = this;
    const { matter } = view;
    const count = matter.mesh.sticks.length / 2;
    if (!count) return;
    // The vertex array with rest lengths differs from the one before they have arrived.
    const name = matter.rests ? 'sticks with rests' : 'sticks';
    this.begin(view, { ...style, stretchRange: matter.rests ? style.stretchRange : 0 });
    this.bindArray(name, 0, [[matter.ends, 2, true], [matter.rests, 1, false]]);
    gl.vertexAttrib1f(1, 0);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    this.end();
  }

  /** Draws `count` tubes, from `first` on, in their true width; for 2-D. */
  tubes(view, [first, count], style) {
    const { gl } = this;
    const { matter } = view;
    this.begin(view, { pixels: 0, ...style });
    this.bindArray(`tubes from ${first}`, first, [
      [matter.tubeEnds, 2, true], [null], [matter.tubeRadii, 2, false], [matter.tubeColours, 3, false],
    ]);
    gl.vertexAttrib1f(1, 0);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    this.end();
  }
}
