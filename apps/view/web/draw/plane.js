// Draws 2-D scenes: flat areas and lines, without lighting.

import { program } from './gl.js';
import { toSrgb } from './colours.js';
import { POSITION, TEXTURE_UNIT } from './matter.js';
import { poseOf } from './obstacles.js';

const FILL_VERTEX = `
${POSITION}
uniform mat4 u_viewProjection;
void main() { gl_Position = u_viewProjection * vec4(position(uint(gl_VertexID)).xy, 0.0, 1.0); }`;

const FILL_FRAGMENT = `
uniform vec4 u_colour;
out vec4 colour;
void main() { colour = vec4(u_colour.rgb * u_colour.a, u_colour.a); }`;

// A box with round corners. It is a disc if both half sizes are 0, and a capsule if one of them is 0.
const SHAPE_VERTEX = `
uniform mat4 u_viewProjection;
uniform vec4 u_pose;     // position, and cosine and sine of the rotation
uniform vec2 u_half;     // half sizes without the rounding, m
uniform float u_round, u_perMetre;   // radius of the corners, m; pixels per metre
out vec2 v_local;        // position relative to the centre, m
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  v_local = corner * (u_half + u_round + 3.0 / u_perMetre);   // 3 pixels more, for the outline and its smooth edge
  vec2 at = u_pose.xy + mat2(u_pose.z, u_pose.w, -u_pose.w, u_pose.z) * v_local;
  gl_Position = u_viewProjection * vec4(at, 0.0, 1.0);
}`;

const SHAPE_FRAGMENT = `
in vec2 v_local;
uniform vec2 u_half;
uniform float u_round, u_perMetre, u_line;   // u_line: width of the outline, pixels
uniform vec4 u_fill, u_stroke;
out vec4 colour;
void main() {
  vec2 q = abs(v_local) - u_half;
  // Signed distance from the edge of the shape, pixels; negative inside.
  float far = (length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - u_round) * u_perMetre;
  float inside = clamp(0.5 - far, 0.0, 1.0) * u_fill.a;
  float edge = clamp(0.5 + 0.5 * u_line - abs(far + 0.5 * u_line), 0.0, 1.0) * u_stroke.a;
  colour = vec4(u_fill.rgb * inside, inside) * (1.0 - edge) + vec4(u_stroke.rgb * edge, edge);
  if (colour.a < 0.004) discard;
}`;

export class Plane {
  constructor(gl, lines, points, backdrop) {
    Object.assign(this, { gl, lines, points, backdrop });
    this.fill = program(gl, FILL_VERTEX, FILL_FRAGMENT);
    this.shape = program(gl, SHAPE_VERTEX, SHAPE_FRAGMENT);
    this.shapeArray = gl.createVertexArray();
  }

  /** Deletes the vertex array, which refers to the buffers of the previous topology. */
  reset() {
    this.gl.deleteVertexArray(this.fillArray ?? null);
    this.fillArray = null;
  }

  /** Draws the scene, from the background to the front. */
  draw(view) {
    const { gl } = this;
    const { matter, theme, options, pixelRatio } = view;
    this.backdrop.draw(view);
    gl.disable(gl.DEPTH_TEST);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.drawBounds(view);
    if (options.surface) this.drawFaces(view);
    this.drawShapes(view);
    const hasFaces = matter.mesh.faces.length > 0;
    const cloth = view.mesh.parts.findIndex(({ kind }) => kind === 'cloth'); // the first one; -1: none
    if (options.sticks || !options.surface || cloth >= 0) {
      const base = cloth >= 0 ? toSrgb(view.colours[cloth].faces[0]) : theme.line;
      // Dense lines are thinner, so that they stay separate. The sparseness is 1 if the typical stick is at least 7
      // CSS pixels long.
      const sparseness = Math.min(1, (view.stickLength * view.camera.pixelsPerMetre) / (7 * pixelRatio));
      const alpha = options.sticks || !options.surface || !hasFaces ? 1 : 0.75;
      const pixels = Math.max(0.35, 0.75 * Math.sqrt(sparseness)) * pixelRatio;
      this.lines.sticks(view, { pixels, colour: [...base, alpha], stretchRange: options.stretch ? 0.5 : 0 });
    }
    if (options.surface) {
      // Each part has an outline, drawn before its tubes, so that overlapping parts are distinguishable.
      const outline = [...theme.outline, 1];
      for (const span of matter.tubes?.spans ?? []) {
        this.lines.tubes(view, span, { colour: outline, widen: 1.5 * pixelRatio });
        this.lines.tubes(view, span, { colour: outline, own: 1 });
      }
    }
    view.mesh.parts.forEach((part, index) => {
      if (part.kind !== 'grains') return;
      this.points.dots(view, part.particles, { pixels: 1.6 * pixelRatio, colour: [...toSrgb(view.colours[index].tube), 1] });
    });
    if (options.particles) {
      const pixels = Math.min(3, Math.max(1, 0.16 * view.stickLength * view.camera.pixelsPerMetre / pixelRatio)) * pixelRatio;
      this.points.dots(view, [0, matter.mesh.particles], { pixels, colour: [...theme.line, 0.9] });
    }
  }

  /** Fills the faces of all parts. */
  drawFaces({ matter, mesh, camera, colours, theme }) {
    const { gl, fill: { handle, uniforms } } = this;
    if (!mesh.faces.length) return;
    if (!this.fillArray) {
      this.fillArray = gl.createVertexArray();
      gl.bindVertexArray(this.fillArray);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, matter.faces);
    }
    gl.useProgram(handle);
    matter.positions.bind(TEXTURE_UNIT.positions);
    gl.uniform1i(uniforms.u_positions, TEXTURE_UNIT.positions);
    gl.uniformMatrix4fv(uniforms.u_viewProjection, false, camera.viewProjection);
    gl.enable(gl.BLEND);
    gl.bindVertexArray(this.fillArray);
    mesh.parts.forEach(({ faces: [first, count] }, index) => {
      if (!count) return;
      gl.uniform4f(uniforms.u_colour, ...toSrgb(colours[index].faces[0]), theme.fillAlpha);
      gl.drawElements(gl.TRIANGLES, 3 * count, gl.UNSIGNED_INT, 12 * first);
    });
    gl.bindVertexArray(null);
    gl.disable(gl.BLEND);
  }

  /** Draws the outlines of the obstacles with the shape `bounds`. */
  drawBounds(view) {
    this.drawEach(view, ({ shape, half }) => (shape === 'bounds' ? { half, round: 0, line: 1.5, fill: 0 } : null));
  }

  /** Draws the other obstacles; those that are meshes are not drawn in 2-D. */
  drawShapes(view) {
    this.drawEach(view, (obstacle) => {
      switch (obstacle.shape) {
        case 'sphere': return { half: [0, 0], round: obstacle.radius };
        case 'capsule': return { half: [0, obstacle.half], round: obstacle.radius };
        case 'cuboid': return { half: obstacle.half, round: 0 };
        // A box of 20 km by 10 km below the surface.
        case 'half-space': return { half: [1e4, 5e3], round: 0, lower: 5e3 };
        default: return null;
      }
    });
  }

  /**
   * Draws, for each obstacle, the shape that `shapeOf` returns (null: none). `half`: half sizes without the rounding,
   * m; `round`: radius of the corners, m; `lower`: how far the centre of the shape is below the position of the
   * obstacle, m; `line`: width of the outline, CSS pixels; `fill`: opacity of the area.
   */
  drawEach({ mesh, poses, camera, theme, pixelRatio }, shapeOf) {
    const { gl, shape: { handle, uniforms } } = this;
    gl.useProgram(handle);
    gl.uniformMatrix4fv(uniforms.u_viewProjection, false, camera.viewProjection);
    gl.uniform1f(uniforms.u_perMetre, camera.pixelsPerMetre);
    gl.enable(gl.BLEND);
    gl.bindVertexArray(this.shapeArray);
    mesh.obstacles.forEach((obstacle, index) => {
      const shape = shapeOf(obstacle);
      if (!shape) return;
      const { position: [x, y], rotation: [, , qz, qw] } = poseOf(poses, index);
      const [cosine, sine] = [qw * qw - qz * qz, 2 * qw * qz];
      const lower = shape.lower ?? 0;
      gl.uniform4f(uniforms.u_pose, x + sine * lower, y - cosine * lower, cosine, sine);
      gl.uniform2f(uniforms.u_half, shape.half[0], shape.half[1]);
      gl.uniform1f(uniforms.u_round, shape.round);
      gl.uniform1f(uniforms.u_line, (shape.line ?? 1.25) * pixelRatio);
      gl.uniform4f(uniforms.u_fill, ...theme.obstacleFlat, shape.fill ?? 1);
      gl.uniform4f(uniforms.u_stroke, ...theme.faint, 1);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    });
    gl.bindVertexArray(null);
    gl.disable(gl.BLEND);
  }
}
