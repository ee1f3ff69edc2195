// The shapes of obstacles and of tubes, as triangles: positions, normals, indices.

import { cross, subtract, unit } from './math.js';

class Shape {
  positions = [];
  normals = [];
  indices = [];

  vertex(position, normal) {
    this.positions.push(...position);
    this.normals.push(...normal);
    return this.positions.length / 3 - 1;
  }

  /** A net of `rows` x `columns` vertices in which neighbours are joined. */
  net(rows, columns, at) {
    const first = this.positions.length / 3;
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) this.vertex(...at(row, column));
    }
    for (let row = 0; row + 1 < rows; row++) {
      for (let column = 0; column + 1 < columns; column++) {
        const a = first + row * columns + column;
        this.indices.push(a, a + 1, a + columns, a + 1, a + columns + 1, a + columns);
      }
    }
    return this;
  }
}

/** The unit direction `row` of `rows` down from +y and `column` of `columns` around it. */
function direction(row, rows, column, columns) {
  const down = (Math.PI * row) / (rows - 1);
  const around = (2 * Math.PI * column) / (columns - 1);
  return [Math.sin(down) * Math.sin(around), Math.cos(down), Math.sin(down) * Math.cos(around)];
}

export function sphere(radius, rows = 33, columns = 65) {
  return new Shape().net(rows, columns, (row, column) => {
    const n = direction(row, rows, column, columns);
    return [n.map((x) => radius * x), n];
  });
}

/** Along y, its ends' middles at `half` above and below. */
export function capsule(radius, half, rows = 34, columns = 49) {
  return new Shape().net(rows, columns, (row, column) => {
    const upper = row < rows / 2;
    const n = direction(upper ? row : row - 1, rows - 1, column, columns);
    const [x, y, z] = n.map((x) => radius * x);
    return [[x, y + (upper ? half : -half), z], n];
  });
}

export function cuboid(half) {
  const shape = new Shape();
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [1, -1]) {
      const n = [0, 1, 2].map((k) => (k === axis ? side : 0));
      const u = [0, 1, 2].map((k) => (k === (axis + 1) % 3 ? 1 : 0));
      const v = cross(n, u);
      shape.net(2, 2, (row, column) => [
        half.map((h, k) => h * (n[k] + u[k] * (2 * row - 1) + v[k] * (2 * column - 1))),
        n,
      ]);
    }
  }
  return shape;
}

/** Flat triangles, each with vertices of its own. */
export function triangles(points, corners) {
  const shape = new Shape();
  for (let i = 0; i < corners.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => points.slice(3 * corners[i + k], 3 * corners[i + k] + 3));
    const n = unit(cross(subtract(b, a), subtract(c, a)));
    shape.indices.push(shape.vertex(a, n), shape.vertex(b, n), shape.vertex(c, n));
  }
  return shape;
}

/**
 * A tube of length 1 that the card stretches between two particles: of each vertex, its direction
 * from the end that it belongs to, and which end that is.
 */
export function tube(rows = 8, columns = 13) {
  const vertices = [];
  const shape = new Shape().net(rows, columns, (row, column) => {
    const upper = row < rows / 2;
    const n = direction(upper ? row : row - 1, rows - 1, column, columns);
    vertices.push(...n, upper ? 1 : 0);
    return [n, n];
  });
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(shape.indices) };
}
