// What is joined to what: parts, faces and sticks of one topology, on this side of the graphics
// card. Faces that are gone and torn sticks stay in their places, with all corners 0: nothing is
// drawn of them.

import { NONE } from '../protocol.js';
import { cross, subtract } from './math.js';

/** Faces of these looks are shaded smoothly; the others flat. */
const isSmooth = (part) => part.look !== 'body';

function withoutNone(indices) {
  const copy = indices.slice();
  for (let i = 0; i < copy.length; i++) if (copy[i] === NONE) copy[i] = 0;
  return copy;
}

export class Mesh {
  constructor(said, epoch) {
    this.epoch = epoch;
    this.vertices = said.vertices;
    this.particles = said.particles;
    this.parts = said.parts ?? [];
    this.colliders = said.colliders ?? [];
    this.pinned = said.pinned ?? [];
    this.radii = new Map(said.radii ?? []);
    this.thinIds = said.thin ?? [];
    this.faces = new Uint32Array(0);
    this.sticks = new Uint32Array(0);
    /** The same without those that are better not drawn. */
    this.drawnSticks = this.sticks;
    this.rests = null;
    this.thin = new Uint8Array(0);
  }

  setIndices({ faces, sticks }) {
    this.faces = withoutNone(faces);
    this.sticks = withoutNone(sticks);
    this.thin = new Uint8Array(this.sticks.length / 2);
    this.drawnSticks = this.sticks.slice();
    for (const id of this.thinIds) {
      this.thin[id] = 1;
      this.drawnSticks.fill(0, 2 * id, 2 * id + 2);
    }
  }

  get hasSmoothFaces() {
    return this.parts.some((part) => isSmooth(part) && part.faces[1] > 0);
  }

  /**
   * How often faces would cover a ball, about: by some hundred of them, each of which counts once at
   * most.
   */
  layers(positions, { centre, radius }) {
    const count = this.faces.length / 3;
    const each = Math.max(1, Math.floor(count / 300));
    const whole = Math.PI * radius * radius;
    let [covered, looked] = [0, 0];
    for (let face = 0; face < count; face += each) {
      looked++;
      const corners = [0, 1, 2].map((corner) => {
        const at = 3 * this.faces[3 * face + corner];
        return subtract(positions.subarray(at, at + 3), centre);
      });
      const isOutside = [0, 1, 2].some((axis) => {
        const along = corners.map((corner) => corner[axis]);
        return Math.min(...along) > radius || Math.max(...along) < -radius;
      });
      if (isOutside) continue;
      const [a, b, c] = corners;
      const area = Math.hypot(...cross(subtract(b, a), subtract(c, a))) / 2;
      covered += area < whole ? area : whole; // infinite areas and such that are no number, too
    }
    return looked && (covered / whole) * (count / looked);
  }

  /** Marks what went. */
  remove({ faces, sticks }) {
    for (const face of faces) this.faces.fill(0, 3 * face, 3 * face + 3);
    for (const all of [this.sticks, this.drawnSticks]) {
      for (const stick of sticks) all.fill(0, 2 * stick, 2 * stick + 2);
    }
  }

  /**
   * Around each vertex, the other two corners of every smooth face there, in the face's own sense:
   * so one loop over them gives the vertex its normal. `ranges` has first and count for each
   * vertex, `corners` the pairs, and `places` where each corner of each face stands in `corners`.
   */
  adjacency() {
    const ranges = new Uint32Array(2 * this.vertices);
    const smooth = this.parts.filter(isSmooth);
    const each = (visit) => {
      for (const { faces: [first, count] } of smooth) {
        for (let corner = 3 * first; corner < 3 * (first + count); corner++) {
          const base = corner - (corner % 3);
          const next = this.faces[base + ((corner + 1) % 3)];
          const last = this.faces[base + ((corner + 2) % 3)];
          if (next !== last) visit(corner, this.faces[corner], next, last);
        }
      }
    };
    each((_, vertex) => ranges[2 * vertex + 1]++);
    let total = 0;
    for (let vertex = 0; vertex < this.vertices; vertex++) {
      ranges[2 * vertex] = total;
      total += ranges[2 * vertex + 1];
    }
    const corners = new Uint32Array(2 * total);
    const places = new Uint32Array(this.faces.length).fill(NONE);
    const used = new Uint32Array(this.vertices);
    each((corner, vertex, next, last) => {
      const place = ranges[2 * vertex] + used[vertex]++;
      corners[2 * place] = next;
      corners[2 * place + 1] = last;
      places[corner] = place;
    });
    return { ranges, corners, places };
  }
}

/** The box around these positions, without what is not finite; `null` if nothing is. */
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

/** The box around two. */
export const boxOfBoth = ([min, max], [low, high]) => [
  min.map((x, axis) => Math.min(x, low[axis])),
  max.map((x, axis) => Math.max(x, high[axis])),
];
