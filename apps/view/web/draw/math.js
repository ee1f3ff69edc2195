// Vectors and matrices. Vectors are plain arrays of three numbers; matrices are 16 numbers in column-major order, as in
// WebGL.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a) => scale(a, 1 / (length(a) || 1));
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** The matrix product `a b`. */
export function multiply(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

/**
 * A perspective projection with the vertical field of view `vertical`, rad, from distance `near` to `far`. `shift`
 * moves the projection of the view axis away from the middle of the viewport, in half viewports.
 */
export function perspective(vertical, aspect, near, far, shift = [0, 0]) {
  const f = 1 / Math.tan(vertical / 2);
  const out = new Float32Array(16);
  out[0] = f / aspect;
  out[5] = f;
  out[8] = -shift[0];
  out[9] = -shift[1];
  out[10] = (far + near) / (near - far);
  out[11] = -1;
  out[14] = (2 * far * near) / (near - far);
  return out;
}

/** An orthographic projection of a box with these half sizes, from `near` to `far` along -z. */
export function orthographic(halfWidth, halfHeight, near, far) {
  const out = new Float32Array(16);
  out[0] = 1 / halfWidth;
  out[5] = 1 / halfHeight;
  out[10] = 2 / (near - far);
  out[14] = (far + near) / (near - far);
  out[15] = 1;
  return out;
}

/** The view matrix: from world coordinates to those of a camera at `eye` that looks at `target`. */
export function lookAt(eye, target, up) {
  const z = unit(subtract(eye, target));
  const x = unit(cross(up, z));
  const y = cross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0,
    x[1], y[1], z[1], 0,
    x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
  ]);
}

/** The model matrix: it scales each axis, rotates by a unit quaternion `[x, y, z, w]`, then translates. */
export function modelMatrix([px, py, pz], [x, y, z, w], [sx, sy, sz] = [1, 1, 1]) {
  return new Float32Array([
    sx * (1 - 2 * (y * y + z * z)), sx * 2 * (x * y + w * z), sx * 2 * (x * z - w * y), 0,
    sy * 2 * (x * y - w * z), sy * (1 - 2 * (x * x + z * z)), sy * 2 * (y * z + w * x), 0,
    sz * 2 * (x * z + w * y), sz * 2 * (y * z - w * x), sz * (1 - 2 * (x * x + y * y)), 0,
    px, py, pz, 1,
  ]);
}

/** Rotates a vector by a unit quaternion. */
export function rotate(v, [x, y, z, w]) {
  const t = scale(cross([x, y, z], v), 2);
  return add(add(v, scale(t, w)), cross([x, y, z], t));
}
