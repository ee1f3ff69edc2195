// Makes the triangle meshes of obstacles and tubes: positions, normals and indices.

import { cross, subtract, unit } from './math.js';

class MeshBuilder {
  positions = [];
  normals = [];
  indices = [];

  /** Adds a vertex, and returns its index. */
  addVertex(position, normal) {
    this.positions.push(...position);
    this.normals.push(...normal);
    return this.positions.length / 3 - 1;
  }

  /**
   * Adds a grid of `rows` x `columns` vertices, with two triangles per cell. `vertexAt(row, column)` returns the
   * position and the normal of a vertex.
   */
  addGrid(rows, columns, vertexAt) {
    const first = this.positions.length / 3;
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) this.addVertex(...vertexAt(row, column));
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

/**
 * The unit vector of a latitude-longitude grid: the first row is +y, the last -y; the first and the last column contain
 * +z.
 */
function direction(row, rows, column, columns) {
  const polar = (Math.PI * row) / (rows - 1);
  const azimuth = (2 * Math.PI * column) / (columns - 1);
  return [Math.sin(polar) * Math.sin(azimuth), Math.cos(polar), Math.sin(polar) * Math.cos(azimuth)];
}

/** A ball around the origin. */
export function sphere(radius, rows = 33, columns = 65) {
  return new MeshBuilder().addGrid(rows, columns, (row, column) => {
    const n = direction(row, rows, column, columns);
    return [n.map((x) => radius * x), n];
  });
}

/**
 * A capsule along y. The centres of its caps are `half` above and below the origin. The middle row of directions occurs
 * twice: once for each cap.
 */
export function capsule(radius, half, rows = 34, columns = 49) {
  return new MeshBuilder().addGrid(rows, columns, (row, column) => {
    const upper = row < rows / 2;
    const n = direction(upper ? row : row - 1, rows - 1, column, columns);
    const [x, y, z] = n.map((x) => radius * x);
    return [[x, y + (upper ? half : -half), z], n];
  });
}

/** A box around the origin with these half extents. */
export function cuboid(half) {
  const shape = new MeshBuilder();
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [1, -1]) {
      const n = [0, 1, 2].map((k) => (k === axis ? side : 0));
      const u = [0, 1, 2].map((k) => (k === (axis + 1) % 3 ? 1 : 0));
      const v = cross(n, u);
      shape.addGrid(2, 2, (row, column) => [
        half.map((h, k) => h * (n[k] + u[k] * (2 * row - 1) + v[k] * (2 * column - 1))),
        n,
      ]);
    }
  }
  return shape;
}

/** Flat triangles, each with its own vertices: three point indices each. `points` is a flat array of coordinates. */
export function triangles(points, corners) {
  const shape = new MeshBuilder();
  for (let i = 0; i < corners.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => points.slice(3 * corners[i + k], 3 * corners[i + k] + 3));
    const n = unit(cross(subtract(b, a), subtract(c, a)));
    shape.indices.push(shape.addVertex(a, n), shape.addVertex(b, n), shape.addVertex(c, n));
  }
  return shape;
}

/**
 * A capsule of radius 1 for a shader, which moves each hemisphere to one of two particles. Each vertex has its direction
 * from the centre of its hemisphere, and the index of that end, 0 or 1. Only the indices of the grid are used.
 */
export function tube(rows = 8, columns = 13) {
  const vertices = [];
  const shape = new MeshBuilder().addGrid(rows, columns, (row, column) => {
    const upper = row < rows / 2;
    const n = direction(upper ? row : row - 1, rows - 1, column, columns);
    vertices.push(...n, upper ? 1 : 0);
    return [n, n];
  });
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(shape.indices) };
}
