// The parts, faces and sticks of one topology, in main memory. Removed faces and torn sticks keep their index, but all
// their corners and ends are particle 0, so that nothing is drawn for them.

import { NONE } from '../protocol.js';
import { cross, subtract } from './math.js';

/** Whether the faces of a part are shaded smoothly instead of flat. */
const isSmooth = (part) => part.kind !== 'body';

/** A copy of indices with 0 in place of `NONE`. */
function withoutNone(indices) {
  const copy = indices.slice();
  for (let i = 0; i < copy.length; i++) if (copy[i] === NONE) copy[i] = 0;
  return copy;
}

export class Mesh {
  /** `message`: the decoded `Mesh` of the host (see apps/view/src/protocol/binary.rs). */
  constructor(message, epoch) {
    this.epoch = epoch;
    this.vertices = message.vertices;
    this.particles = message.particles;
    this.parts = message.parts ?? [];
    this.obstacles = message.obstacles ?? [];
    this.pinned = message.pinned ?? [];
    this.radii = new Map(message.radii ?? []);
    this.hiddenIds = message.hidden_sticks ?? [];
    this.faces = new Uint32Array(0);
    this.sticks = new Uint32Array(0);
    /** `sticks`, in which the hidden ones are replaced like torn ones. */
    this.drawnSticks = this.sticks;
    this.rests = null; // the rest lengths of sticks, m, once they have arrived
    this.isHidden = new Uint8Array(0); // 1 for each stick that is not drawn
  }

  /** Sets the corners of faces and the ends of sticks. */
  setIndices({ faces, sticks }) {
    this.faces = withoutNone(faces);
    this.sticks = withoutNone(sticks);
    this.isHidden = new Uint8Array(this.sticks.length / 2);
    this.drawnSticks = this.sticks.slice();
    for (const id of this.hiddenIds) {
      this.isHidden[id] = 1;
      this.drawnSticks.fill(0, 2 * id, 2 * id + 2);
    }
  }

  /** Whether any face is shaded smoothly. */
  get hasSmoothFaces() {
    return this.parts.some((part) => isSmooth(part) && part.faces[1] > 0);
  }

  /**
   * Estimates in how many layers the faces cover a ball: the area of the faces near the ball, divided by its
   * cross-section. Each face counts at most as one cross-section. The estimate uses fewer than 600 faces.
   */
  layers(positions, { centre, radius }) {
    const count = this.faces.length / 3;
    const stride = Math.max(1, Math.floor(count / 300));
    const crossSection = Math.PI * radius * radius;
    let [covered, sampled] = [0, 0];
    for (let face = 0; face < count; face += stride) {
      sampled++;
      const corners = [0, 1, 2].map((corner) => {
        const first = 3 * this.faces[3 * face + corner];
        return subtract(positions.subarray(first, first + 3), centre);
      });
      const isOutside = [0, 1, 2].some((axis) => {
        const coordinates = corners.map((corner) => corner[axis]);
        return Math.min(...coordinates) > radius || Math.max(...coordinates) < -radius;
      });
      if (isOutside) continue;
      const [a, b, c] = corners;
      const area = Math.hypot(...cross(subtract(b, a), subtract(c, a))) / 2;
      covered += area < crossSection ? area : crossSection; // also if the area is infinite or NaN
    }
    return sampled && (covered / crossSection) * (count / sampled);
  }

  /** Removes faces and torn sticks. */
  remove({ faces, sticks }) {
    for (const face of faces) this.faces.fill(0, 3 * face, 3 * face + 3);
    for (const all of [this.sticks, this.drawnSticks]) {
      for (const stick of sticks) all.fill(0, 2 * stick, 2 * stick + 2);
    }
  }

  /**
   * What a shader needs to compute the normal of each vertex: for every smooth face around the vertex, the pair of its
   * other two corners, in winding order. `corners` has all pairs; `ranges` has, for each vertex, its first pair and its
   * number of pairs; `cornerIndices` has, for each corner of each face, the index of its pair.
   */
  adjacency() {
    const ranges = new Uint32Array(2 * this.vertices);
    const smooth = this.parts.filter(isSmooth);
    const forEachCorner = (visit) => {
      for (const { faces: [first, count] } of smooth) {
        for (let corner = 3 * first; corner < 3 * (first + count); corner++) {
          const base = corner - (corner % 3);
          const next = this.faces[base + ((corner + 1) % 3)];
          const last = this.faces[base + ((corner + 2) % 3)];
          if (next !== last) visit(corner, this.faces[corner], next, last);
        }
      }
    };
    forEachCorner((_, vertex) => ranges[2 * vertex + 1]++);
    let total = 0;
    for (let vertex = 0; vertex < this.vertices; vertex++) {
      ranges[2 * vertex] = total;
      total += ranges[2 * vertex + 1];
    }
    const corners = new Uint32Array(2 * total);
    const cornerIndices = new Uint32Array(this.faces.length).fill(NONE);
    const used = new Uint32Array(this.vertices);
    forEachCorner((corner, vertex, next, last) => {
      const index = ranges[2 * vertex] + used[vertex]++;
      corners[2 * index] = next;
      corners[2 * index + 1] = last;
      cornerIndices[corner] = index;
    });
    return { ranges, corners, cornerIndices };
  }
}

/** The bounding box of positions, without NaN; `null` if it is empty or not finite. */
export function boxAround(positions, count = positions.length / 3) {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < 3 * count; i += 3) {
    for (let axis = 0; axis < 3; axis++) {
      const x = positions[i + axis];
      if (x < min[axis]) min[axis] = x;
      if (x > max[axis]) max[axis] = x;
    }
  }
  return min.every(Number.isFinite) && max.every(Number.isFinite) ? [min, max] : null;
}

/** The bounding box of two boxes. */
export const boxOfBoth = ([min, max], [low, high]) => [
  min.map((x, axis) => Math.min(x, low[axis])),
  max.map((x, axis) => Math.max(x, high[axis])),
];
