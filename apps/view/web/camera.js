// The camera. In 3-D scenes it orbits a point; in 2-D scenes it looks straight on.

import { add, cross, dot, lookAt, multiply, orthographic, perspective, scale, subtract, unit } from './draw/math.js';

const FIELD = (34 * Math.PI) / 180; // vertical, rad
const STEEPEST = 1.5; // rad
/** Speed of the camera: the share of the way to its goal that is left after a second. */
const LEFT_AFTER_A_SECOND = 1e-6;

const START = { yaw: 0.5, pitch: 0.2 };

/** The forward, right and up axes of a direction. */
function axesOf({ yaw, pitch }) {
  const forward = [-Math.sin(yaw) * Math.cos(pitch), -Math.sin(pitch), -Math.cos(yaw) * Math.cos(pitch)];
  const right = unit(cross(forward, [0, 1, 0]));
  return [forward, right, cross(right, forward)];
}

export class Camera {
  constructor() {
    this.isFlat = false;
    this.aspect = 1;
    this.isMoved = false; // by hand, since it was last told what to show
    this.height = 1;
    /** The covered shares of the height of the picture, above and below. */
    this.covered = [0, 0];
    /** Present and target pose. */
    this.now = { target: [0, 0, 0], distance: 5, ...START };
    this.goal = structuredClone(this.now);
    this.update();
  }

  /** Shows a box of this centre and these half sizes, at once if `atOnce`. */
  frame({ centre, half }, atOnce) {
    const free = Math.max(0.3, 1 - this.covered[0] - this.covered[1]);
    const distance = this.isFlat
      ? Math.max(half[1] / free, half[0] / this.aspect) * 1.12
      : this.distanceFor(half, free);
    Object.assign(this.goal, { target: [...centre], distance, ...START });
    this.defaultDistance = distance;
    this.isMoved = false;
    if (atOnce) this.now = structuredClone(this.goal);
    this.update();
  }

  /** The distance at which all corners of a box are visible, with a margin. */
  distanceFor(half, free) {
    const [forward, right, up] = axesOf(START);
    const slope = 0.9 * Math.tan(FIELD / 2);
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = half.map((x, axis) => (corner & (1 << axis) ? x : -x));
      const beside = Math.max(Math.abs(dot(at, right)) / this.aspect, Math.abs(dot(at, up)) / free);
      distance = Math.max(distance, beside / slope - dot(at, forward));
    }
    return distance;
  }

  /** Sets the size of the picture and its covered pixels above and below; returns whether they changed. */
  resize(width, height, covered = [0, 0]) {
    const before = `${[this.height, this.aspect, this.covered]}`;
    this.covered = covered.map((pixels) => pixels / height);
    this.aspect = width / height;
    this.height = height;
    this.update();
    return `${[this.height, this.aspect, this.covered]}` !== before;
  }

  orbit(dx, dy) {
    this.isMoved = true;
    if (this.isFlat) return this.pan(dx, dy);
    this.goal.yaw -= (dx / this.height) * 4;
    this.goal.pitch = Math.max(-STEEPEST, Math.min(STEEPEST, this.goal.pitch + (dy / this.height) * 4));
  }

  /** By so many pixels of the page. */
  pan(dx, dy) {
    this.isMoved = true;
    const metres = this.metresPerPixel(this.goal.distance);
    this.goal.target = add(this.goal.target, add(scale(this.right, -dx * metres), scale(this.up, dy * metres)));
  }

  /** `factor` times as far; the place under `at` (from -1 to 1) stays under it. */
  zoom(factor, at = [0, 0]) {
    const { goal } = this;
    this.isMoved = true;
    const limits = this.defaultDistance ? [this.defaultDistance / 40, this.defaultDistance * 8] : [0, Infinity];
    const before = goal.distance;
    goal.distance = Math.max(limits[0], Math.min(limits[1], goal.distance * factor));
    const lost = (before - goal.distance) * (this.isFlat ? 1 : Math.tan(FIELD / 2));
    goal.target = add(goal.target, add(scale(this.right, at[0] * lost * this.aspect), scale(this.up, (at[1] - this.raised) * lost)));
  }

  metresPerPixel(distance = this.now.distance) {
    return (this.isFlat ? 2 * distance : 2 * distance * Math.tan(FIELD / 2)) / this.height;
  }

  /** Moves towards the goal for some seconds; returns whether it moved. */
  advance(seconds) {
    const { now, goal } = this;
    const share = 1 - LEFT_AFTER_A_SECOND ** seconds;
    let moved = 0;
    const towards = (from, to) => {
      const by = (to - from) * share;
      moved = Math.max(moved, Math.abs(to - from));
      return from + by;
    };
    now.yaw = towards(now.yaw, goal.yaw);
    now.pitch = towards(now.pitch, goal.pitch);
    now.distance = towards(now.distance, goal.distance);
    now.target = now.target.map((x, axis) => towards(x, goal.target[axis]));
    if (moved < 1e-5) Object.assign(now, structuredClone(goal));
    this.update();
    return moved >= 1e-5;
  }

  update() {
    const { target, distance } = this.now;
    // The target is in the middle of the uncovered part.
    const raised = this.covered[1] - this.covered[0];
    this.raised = raised;
    if (this.isFlat) {
      this.right = [1, 0, 0];
      this.up = [0, 1, 0];
      this.forward = [0, 0, -1];
      const middle = [target[0], target[1] - raised * distance, target[2]];
      this.eye = add(middle, [0, 0, 1]);
      const flat = orthographic(distance * this.aspect, distance, -1e3, 1e3);
      this.viewProjection = multiply(flat, lookAt(this.eye, middle, this.up));
      this.window = [middle[0], middle[1], distance * this.aspect, distance];
    } else {
      [this.forward, this.right, this.up] = axesOf(this.now);
      this.eye = subtract(target, scale(this.forward, distance));
      const lens = perspective(FIELD, this.aspect, distance * 0.02, distance * 30, [0, raised]);
      this.viewProjection = multiply(lens, lookAt(this.eye, target, [0, 1, 0]));
      this.window = null;
    }
  }

  /** Pixels of the drawing a metre has, at a distance of a metre (in the plane: anywhere). */
  setPixels(drawnHeight) {
    this.pixelsPerMetre = drawnHeight / 2 / (this.isFlat ? this.now.distance : Math.tan(FIELD / 2));
  }

  /** Where a point is seen, from -1 to 1 both ways, and how far ahead; `null` if behind. */
  project([x, y, z]) {
    const m = this.viewProjection;
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    if (!(w > 0)) return null;
    return [(m[0] * x + m[4] * y + m[8] * z + m[12]) / w, (m[1] * x + m[5] * y + m[9] * z + m[13]) / w, w];
  }

  /** The ray through a point of the picture: from the eye, `reach` metres long. */
  ray([x, y], reach) {
    if (this.isFlat) {
      const [cx, cy, w, h] = this.window;
      const at = [cx + x * w, cy + y * h, 0];
      return [at, [at[0], at[1], -1]];
    }
    const slope = Math.tan(FIELD / 2);
    const along = unit(add(this.forward, add(scale(this.right, x * slope * this.aspect), scale(this.up, (y - this.raised) * slope))));
    return [this.eye, add(this.eye, scale(along, reach))];
  }

  /** Where that ray meets the plane through `point` that faces the eye. */
  onPlane(at, point) {
    if (this.isFlat) return this.ray(at, 1)[0];
    const [from, to] = this.ray(at, 1);
    const along = subtract(to, from);
    const far = dot(subtract(point, from), this.forward) / dot(along, this.forward);
    return add(from, scale(along, far));
  }
}
