// The camera. In 3-D it orbits a point; in 2-D it looks along -z.

import { add, cross, dot, lookAt, multiply, orthographic, perspective, scale, subtract, unit } from './draw/math.js';

const FIELD_OF_VIEW = (34 * Math.PI) / 180; // vertical, rad
const PITCH_MAX = 1.5; // rad
/** The fraction of the difference from the goal that remains after a second. */
const REMAINING_AFTER_1_S = 1e-6;

/** The initial direction, to which `lookAt` returns, rad. */
const START = { yaw: 0.5, pitch: 0.2 };

/** The forward, right and up axes of a camera that looks in this direction. */
function axesOf({ yaw, pitch }) {
  const forward = [-Math.sin(yaw) * Math.cos(pitch), -Math.sin(pitch), -Math.cos(yaw) * Math.cos(pitch)];
  const right = unit(cross(forward, [0, 1, 0]));
  return [forward, right, cross(right, forward)];
}

export class Camera {
  constructor() {
    this.isFlat = false;
    this.aspect = 1;
    this.isMovedByUser = false; // since the last call of `lookAt`
    this.height = 1; // of the picture, CSS pixels
    /** The fractions of the height of the picture that are covered at its top and bottom. */
    this.covered = [0, 0];
    /**
     * The current pose, and the pose to which the camera moves. `target` is the point in the middle of the uncovered
     * part of the picture, m; `distance` is that from the camera to the target, m. In 2-D, `distance` is instead half
     * the height of the picture, m.
     */
    this.now = { target: [0, 0, 0], distance: 5, ...START };
    this.goal = structuredClone(this.now);
    this.update();
  }

  /**
   * Moves the camera so that a box is visible: at once if `atOnce`, otherwise over the next frames. `half`: half
   * extents of the box, m.
   */
  lookAt({ centre, half }, atOnce) {
    // The fraction of the height of the picture that is not covered; at least 0.3, so that the scene stays visible.
    const free = Math.max(0.3, 1 - this.covered[0] - this.covered[1]);
    const distance = this.isFlat
      ? Math.max(half[1] / free, half[0] / this.aspect) * 1.12 // with a margin
      : this.distanceFor(half, free);
    Object.assign(this.goal, { target: [...centre], distance, ...START });
    this.defaultDistance = distance;
    this.isMovedByUser = false;
    if (atOnce) this.now = structuredClone(this.goal);
    this.update();
  }

  /**
   * The distance at which all corners of a box are visible from the direction `START`, with a margin, in the uncovered
   * fraction `free` of the height.
   */
  distanceFor(half, free) {
    const [forward, right, up] = axesOf(START);
    const slope = 0.9 * Math.tan(FIELD_OF_VIEW / 2); // 0.9: the margin
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const offset = half.map((x, axis) => (corner & (1 << axis) ? x : -x));
      const offAxis = Math.max(Math.abs(dot(offset, right)) / this.aspect, Math.abs(dot(offset, up)) / free);
      distance = Math.max(distance, offAxis / slope - dot(offset, forward));
    }
    return distance;
  }

  /** Sets the size of the picture and its covered pixels at top and bottom. Returns whether they changed. */
  resize(width, height, covered = [0, 0]) {
    if (!(width > 0 && height > 0)) return false; // the page is hidden
    const before = `${[this.height, this.aspect, this.covered]}`;
    this.covered = covered.map((pixels) => pixels / height);
    this.aspect = width / height;
    this.height = height;
    this.update();
    return `${[this.height, this.aspect, this.covered]}` !== before;
  }

  /** Rotates the camera around the target by a movement of the pointer, pixels; in 2-D, pans instead. */
  orbit(dx, dy) {
    this.isMovedByUser = true;
    if (this.isFlat) return this.pan(dx, dy);
    // A movement over the height of the picture rotates by 4 rad.
    this.goal.yaw -= (dx / this.height) * 4;
    this.goal.pitch = Math.max(-PITCH_MAX, Math.min(PITCH_MAX, this.goal.pitch + (dy / this.height) * 4));
  }

  /** Moves the target with a movement of the pointer, pixels of the page. */
  pan(dx, dy) {
    this.isMovedByUser = true;
    const metres = this.metresPerPixel(this.goal.distance);
    this.goal.target = add(this.goal.target, add(scale(this.right, -dx * metres), scale(this.up, dy * metres)));
  }

  /**
   * Multiplies the distance by `factor`, within limits. The point of the scene that is seen at `at` (coordinates from
   * -1 to 1) stays there.
   */
  zoom(factor, at = [0, 0]) {
    const { goal } = this;
    this.isMovedByUser = true;
    // Relative to the distance at which the whole scene is visible.
    const limits = this.defaultDistance ? [this.defaultDistance / 40, this.defaultDistance * 8] : [0, Infinity];
    const before = goal.distance;
    goal.distance = Math.max(limits[0], Math.min(limits[1], goal.distance * factor));
    // The decrease of half the visible height at the target, m.
    const heightChange = (before - goal.distance) * (this.isFlat ? 1 : Math.tan(FIELD_OF_VIEW / 2));
    goal.target = add(goal.target, add(scale(this.right, at[0] * heightChange * this.aspect), scale(this.up, (at[1] - this.verticalShift) * heightChange)));
  }

  /** The length that a pixel shows at this distance, m. */
  metresPerPixel(distance = this.now.distance) {
    return (this.isFlat ? 2 * distance : 2 * distance * Math.tan(FIELD_OF_VIEW / 2)) / this.height;
  }

  /** Moves the camera towards its goal, for `seconds`. Returns whether it has not yet arrived. */
  advance(seconds) {
    const { now, goal } = this;
    const fraction = 1 - REMAINING_AFTER_1_S ** seconds;
    let remaining = 0; // the largest difference from the goal, rad or m
    const approach = (from, to) => {
      remaining = Math.max(remaining, Math.abs(to - from));
      const change = (to - from) * fraction;
      return from + change;
    };
    now.yaw = approach(now.yaw, goal.yaw);
    now.pitch = approach(now.pitch, goal.pitch);
    now.distance = approach(now.distance, goal.distance);
    now.target = now.target.map((x, axis) => approach(x, goal.target[axis]));
    if (remaining < 1e-5) Object.assign(now, structuredClone(goal));
    this.update();
    return remaining >= 1e-5;
  }

  /** Computes axes, eye and matrix from the current pose. */
  update() {
    const { target, distance } = this.now;
    // Moves the target from the middle of the picture to the middle of its uncovered part, in half heights of the
    // picture.
    const verticalShift = this.covered[1] - this.covered[0];
    this.verticalShift = verticalShift;
    if (this.isFlat) {
      this.right = [1, 0, 0];
      this.up = [0, 1, 0];
      this.forward = [0, 0, -1];
      const middle = [target[0], target[1] - verticalShift * distance, target[2]];
      this.eye = add(middle, [0, 0, 1]);
      const projection = orthographic(distance * this.aspect, distance, -1e3, 1e3);
      this.viewProjection = multiply(projection, lookAt(this.eye, middle, this.up));
      // The visible part of the plane z = 0: centre, half width and half height, m.
      this.window = [middle[0], middle[1], distance * this.aspect, distance];
    } else {
      [this.forward, this.right, this.up] = axesOf(this.now);
      this.eye = subtract(target, scale(this.forward, distance));
      const projection = perspective(FIELD_OF_VIEW, this.aspect, distance * 0.02, distance * 30, [0, verticalShift]);
      this.viewProjection = multiply(projection, lookAt(this.eye, target, [0, 1, 0]));
      this.window = null;
    }
  }

  /** Sets `pixelsPerMetre` of a drawing `drawnHeight` pixels high: in 3-D at a distance of 1 m, in 2-D everywhere. */
  setPixels(drawnHeight) {
    this.pixelsPerMetre = drawnHeight / 2 / (this.isFlat ? this.now.distance : Math.tan(FIELD_OF_VIEW / 2));
  }

  /**
   * Projects a point of the scene to x and y from -1 to 1, and its distance along the view, m; `null` if the point is
   * behind the camera.
   */
  project([x, y, z]) {
    const m = this.viewProjection;
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    if (!(w > 0)) return null;
    return [(m[0] * x + m[4] * y + m[8] * z + m[12]) / w, (m[1] * x + m[5] * y + m[9] * z + m[13]) / w, w];
  }

  /**
   * The segment of `length` metres from the eye through a point of the picture. In 2-D instead a segment of 1 m along
   * -z, from the point of the plane z = 0 that is seen there.
   */
  ray([x, y], length) {
    if (this.isFlat) {
      const [cx, cy, w, h] = this.window;
      const point = [cx + x * w, cy + y * h, 0];
      return [point, [point[0], point[1], -1]];
    }
    const slope = Math.tan(FIELD_OF_VIEW / 2);
    const direction = unit(add(this.forward, add(scale(this.right, x * slope * this.aspect), scale(this.up, (y - this.verticalShift) * slope))));
    return [this.eye, add(this.eye, scale(direction, length))];
  }

  /** The point where the ray through `at` meets the plane that contains `point` and is perpendicular to the view. */
  onPlane(at, point) {
    if (this.isFlat) return this.ray(at, 1)[0];
    const [from, to] = this.ray(at, 1);
    const direction = subtract(to, from);
    const distance = dot(subtract(point, from), this.forward) / dot(direction, this.forward);
    return add(from, scale(direction, distance));
  }
}
