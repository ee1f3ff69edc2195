// Draws obstacles in 3-D: lit solids, and floors with a grid, which fade into the background.

import { buffer, program } from './gl.js';
import { add, modelMatrix, rotate } from './math.js';
import { SHADING, setShading } from './shading.js';
import { capsule, cuboid, sphere, triangles } from './solids.js';

const VERTEX = `
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
uniform mat4 u_viewProjection, u_model;
out vec3 v_position, v_normal;
void main() {
  v_position = (u_model * vec4(a_position, 1.0)).xyz;
  v_normal = mat3(u_model) * a_normal;
  gl_Position = u_viewProjection * vec4(v_position, 1.0);
}`;

const FRAGMENT = `
in vec3 v_position, v_normal;
uniform vec3 u_albedo;
out vec4 colour;
${SHADING}
void main() {
  vec3 n = normalize(v_normal);
  if (dot(n, u_eye - v_position) < 0.0) n = -n;
  colour = toSrgb(shade(u_albedo, v_position, n, 0.25, 0.0, 0.0));
}`;

const FLOOR_VERTEX = `
layout(location = 0) in vec2 a_corner;
uniform mat4 u_viewProjection, u_model;
uniform vec2 u_half;   // half sizes of the floor, m
out vec3 v_position;
out vec2 v_local;
void main() {
  v_local = a_corner * u_half;
  v_position = (u_model * vec4(v_local.x, 0.0, v_local.y, 1.0)).xyz;
  gl_Position = u_viewProjection * vec4(v_position, 1.0);
}`;

const FLOOR_FRAGMENT = `
in vec3 v_position;
in vec2 v_local;
uniform vec3 u_up, u_centre;      // normal of the floor; the point of the floor from which it fades outwards
uniform vec3 u_floor, u_grid;     // colours
uniform vec4 u_fade;   // distances at which fading starts and ends, m; strength of shadows; opacity
uniform float u_cell;  // size of a grid cell, m
out vec4 colour;
${SHADING}
float grid(vec2 at, float cell) {
  vec2 x = at / cell;
  vec2 w = max(fwidth(x), 1e-5);
  // The second factor hides lines that are too dense to be distinguished.
  vec2 line = clamp(1.2 - abs(fract(x - 0.5) - 0.5) / w, 0.0, 1.0) * clamp(0.35 / w - 0.4, 0.0, 1.0);
  return max(line.x, line.y);
}
void main() {
  float far = distance(v_position, u_centre);
  float alpha = u_fade.w * (1.0 - smoothstep(u_fade.x, u_fade.y, far));
  if (alpha < 0.004) discard;
  float lines = max(0.35 * grid(v_local, u_cell), 0.6 * grid(v_local, 5.0 * u_cell));
  float light = keyLight(v_position, u_up);
  vec3 base = mix(u_floor, u_grid, lines) * (1.0 - u_fade.z * (1.0 - light));
  colour = vec4(base * alpha, alpha);
}`;

/** The size of a grid cell, m: 1, 2, 5 or 10 times a power of ten, whichever is nearest to a sixth of the radius. */
const cellSize = (radius) => {
  const wanted = radius / 6;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((k) => k * power).reduce((a, b) => (Math.abs(b - wanted) < Math.abs(a - wanted) ? b : a));
};

/** Makes the triangle mesh of an obstacle. Half-spaces and bounds have none, because they are drawn as floors. */
const SHAPES = {
  sphere: ({ radius }) => sphere(radius),
  capsule: ({ radius, half }) => capsule(radius, half),
  cuboid: ({ half }) => cuboid(half),
  mesh: (shape) => triangles(shape.points, shape.triangles),
};

export class Obstacles {
  constructor(gl) {
    this.gl = gl;
    this.lit = program(gl, VERTEX, FRAGMENT);
    this.depth = program(gl, VERTEX, 'void main() {}');
    this.floor = program(gl, FLOOR_VERTEX, FLOOR_FRAGMENT);
    this.floorArray = gl.createVertexArray();
    gl.bindVertexArray(this.floorArray);
    buffer(gl, gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    this.shapes = [];
  }

  /** Replaces the meshes of the obstacles. */
  setShapes(obstacles) {
    const { gl } = this;
    for (const shape of this.shapes) {
      if (!shape) continue;
      gl.deleteVertexArray(shape.array);
      shape.buffers.forEach((handle) => gl.deleteBuffer(handle));
    }
    this.shapes = obstacles.map((obstacle) => {
      const shape = SHAPES[obstacle.shape]?.(obstacle);
      if (!shape) return null;
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      const buffers = [shape.positions, shape.normals].map((data, location) => {
        const handle = buffer(gl, gl.ARRAY_BUFFER, new Float32Array(data));
        gl.enableVertexAttribArray(location);
        gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 0, 0);
        return handle;
      });
      buffers.push(buffer(gl, gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(shape.indices)));
      gl.bindVertexArray(null);
      return { array, buffers, count: shape.indices.length };
    });
  }

  /** Draws the solids, or with `lightMatrix` only their depth, for the shadow map. */
  draw(view, lightMatrix) {
    const { gl } = this;
    const { handle, uniforms } = lightMatrix ? this.depth : this.lit;
    gl.useProgram(handle);
    gl.uniformMatrix4fv(uniforms.u_viewProjection, false, lightMatrix ?? view.camera.viewProjection);
    if (!lightMatrix) {
      setShading(gl, uniforms, view);
      gl.uniform3fv(uniforms.u_albedo, view.theme.obstacle);
    }
    this.shapes.forEach((shape, index) => {
      if (!shape) return;
      const { position, rotation } = poseOf(view.poses, index);
      gl.uniformMatrix4fv(uniforms.u_model, false, modelMatrix(position, rotation));
      gl.bindVertexArray(shape.array);
      gl.drawElements(gl.TRIANGLES, shape.count, gl.UNSIGNED_INT, 0);
    });
    gl.bindVertexArray(null);
  }

  /** Draws the floors of half-spaces and bounds. If there are none, draws a faint floor below the scene. */
  drawFloors(view) {
    const { gl } = this;
    const { poses, extent: { centre, radius }, theme, mesh } = view;
    // `half`: half extents, m, `null` for unbounded; `hides`: whether it hides what is below it.
    const floors = [];
    mesh.obstacles.forEach(({ shape, half }, index) => {
      const { position, rotation } = poseOf(poses, index);
      if (shape === 'half-space') floors.push({ position, rotation, half: null, opacity: 1, hides: true });
      if (shape === 'bounds') {
        const down = rotate([0, -half[1], 0], rotation);
        floors.push({ position: add(position, down), rotation, half: [half[0], half[2]], opacity: 1 });
      }
    });
    if (!floors.length) {
      floors.push({ position: [centre[0], view.extent.floor, centre[2]], rotation: [0, 0, 0, 1], half: null, opacity: 0.75 });
    }
    const { handle, uniforms } = this.floor;
    gl.useProgram(handle);
    setShading(gl, uniforms, view);
    gl.uniformMatrix4fv(uniforms.u_viewProjection, false, view.camera.viewProjection);
    gl.uniform3fv(uniforms.u_floor, theme.floor);
    gl.uniform3fv(uniforms.u_grid, theme.grid);
    gl.uniform1f(uniforms.u_cell, cellSize(radius));
    gl.enable(gl.BLEND);
    gl.bindVertexArray(this.floorArray);
    for (const { position, rotation, half, opacity, hides } of floors) {
      gl.depthMask(Boolean(hides));
      const up = rotate([0, 1, 0], rotation);
      const height = up.reduce((sum, x, axis) => sum + x * (view.camera.eye[axis] - position[axis]), 0);
      if (height <= 0) continue; // the camera is below the floor, which would hide the scene
      const centreHeight = up.reduce((sum, x, axis) => sum + x * (centre[axis] - position[axis]), 0);
      const centreOnFloor = centre.map((x, axis) => x - centreHeight * up[axis]);
      gl.uniform3fv(uniforms.u_up, up);
      gl.uniform3fv(uniforms.u_centre, centreOnFloor);
      // An unbounded floor reaches farther than it is visible; bounded floors do not fade.
      gl.uniform2fv(uniforms.u_half, half ?? [8 * radius + 100, 8 * radius + 100]);
      gl.uniform4f(uniforms.u_fade, 0.8 * radius, half ? 1e9 : 3.6 * radius, theme.shade, opacity);
      gl.uniformMatrix4fv(uniforms.u_model, false, modelMatrix(position, rotation));
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    gl.bindVertexArray(null);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }
}

/** The pose of the obstacle with this index in the last frame; at the origin if there is no frame. */
export function poseOf(poses, index) {
  const first = 7 * index;
  if (!poses || poses.length < first + 7) return { position: [0, 0, 0], rotation: [0, 0, 0, 1] };
  return { position: [...poses.subarray(first, first + 3)], rotation: [...poses.subarray(first + 3, first + 7)] };
}

/**
 * Half extents of shapes, m: of capsules for any rotation, of cuboids and meshes as if they were not rotated.
 * Half-spaces and bounds are treated separately.
 */
const EXTENTS = {
  sphere: ({ radius }) => [radius, radius, radius],
  capsule: ({ radius, half }) => [radius + half, radius + half, radius + half],
  cuboid: ({ half }) => half,
  mesh: ({ points }) => [0, 1, 2].map((axis) => points.reduce((largest, x, i) => (i % 3 === axis ? Math.max(largest, Math.abs(x)) : largest), 0)),
};

/** `boxOfObstacles` ignores obstacles with a larger half extent, m, unless the scene is also large. */
const EXTENT_MAX = 8;

/**
 * The bounding box of `box` and of the obstacles that are not too large, without the part below the ground. Bounds are
 * included if they are not too wide; bounds that are too high are included up to the height of `box`.
 */
export function boxOfObstacles(obstacles, poses, box) {
  let [min, max] = box;
  const top = max[1];
  const extentMax = Math.max(EXTENT_MAX, 2 * Math.hypot(...max.map((x, axis) => x - min[axis])));
  const include = (low, high) => {
    min = min.map((x, axis) => Math.min(x, low[axis]));
    max = max.map((x, axis) => Math.max(x, high[axis]));
  };
  obstacles.forEach((obstacle, index) => {
    const { position: middle } = poseOf(poses, index);
    const { shape, half } = obstacle;
    const extent = EXTENTS[shape]?.(obstacle);
    if (extent && Math.max(...extent) < extentMax) {
      include(middle.map((x, axis) => x - extent[axis]), middle.map((x, axis) => x + extent[axis]));
    } else if (shape === 'bounds' && Math.max(half[0], half[2]) < extentMax) {
      const low = middle.map((x, axis) => x - half[axis]);
      const high = middle.map((x, axis) => x + half[axis]);
      include(low, [high[0], half[1] < extentMax ? high[1] : top, high[2]]);
    }
  });
  obstacles.forEach(({ shape }, index) => {
    const { position, rotation } = poseOf(poses, index);
    if (shape === 'half-space' && rotate([0, 1, 0], rotation)[1] > 0.999) min[1] = Math.max(min[1], Math.min(position[1], max[1]));
  });
  return [min, max];
}
