// Draws the current topology and frame, in 3-D or in 2-D.

import { Backdrop } from './backdrop.js';
import { Lines } from './lines.js';
import { THEMES, coloursOf } from './colours.js';
import { boxOfObstacles } from './obstacles.js';
import { Matter } from './matter.js';
import { Mesh, boxAround } from './mesh.js';
import { Plane } from './plane.js';
import { Points } from './points.js';
import { Space } from './space.js';

export class Renderer {
  /** @throws if the browser has no WebGL2. */
  constructor(canvas, isAntialiased) {
    this.canvas = canvas;
    const gl = canvas.getContext('webgl2', { antialias: isAntialiased, alpha: false, powerPreference: 'high-performance' });
    if (!gl) throw new Error('this browser has no WebGL2, which the picture needs');
    this.gl = gl;
    this.matter = new Matter(gl);
    const lines = new Lines(gl);
    const points = new Points(gl);
    const backdrop = new Backdrop(gl);
    this.lines = lines;
    this.space = new Space(gl, lines, points, backdrop);
    this.plane = new Plane(gl, lines, points, backdrop);
    this.mesh = null;
    this.positions = null;
    this.poses = null;
    this.step = 0; // number of the step of the current frame
    this.hasMoved = false; // whether anything that casts a shadow has changed since the last call of `draw`
    this.isReady = false; // whether the indices of the mesh have arrived
  }

  /** Starts a new topology with its message `mesh`; `setIndices` completes it. */
  setMesh(message, epoch) {
    this.mesh = new Mesh(message, epoch);
    this.positions = null; // those of another mesh
    this.isReady = false;
  }

  /** Sets the faces and sticks of the topology, and uploads it. */
  setIndices(indices) {
    const { mesh } = this;
    mesh.setIndices(indices);
    this.lines.reset();
    this.space.reset(mesh);
    this.plane.reset();
    this.matter.setMesh(mesh);
    this.positions = null;
    this.isReady = true;
  }

  /** Sets the rest lengths of sticks. */
  setRests(rests) {
    this.lines.reset();
    this.matter.setRests(rests);
  }

  /** Removes faces and sticks. */
  remove(removed) {
    this.mesh.remove(removed);
    this.matter.remove(removed);
    this.hasMoved = true;
  }

  /** Uploads a frame. Returns `false` if it belongs to another topology. */
  setFrame({ epoch, step, positions, poses }) {
    const { mesh } = this;
    if (!this.isReady || epoch !== mesh.epoch || positions.length !== 3 * mesh.vertices) return false;
    const isFirst = !this.positions;
    Object.assign(this, { positions, poses, step, hasMoved: true });
    if (isFirst) {
      this.colours = mesh.parts.map(coloursOf);
      this.stickLength = this.typicalStickLength();
    }
    this.matter.setPositions(positions, (part) => this.colours[part].tube);
    return true;
  }

  /** The lower quartile of the lengths of fewer than 2000 sticks, m; 0.05 m without sticks. */
  typicalStickLength() {
    const { drawnSticks: sticks } = this.mesh;
    const stride = 2 * Math.max(1, Math.floor(sticks.length / 2000));
    const lengths = [];
    for (let i = 0; i < sticks.length; i += stride) {
      const [a, b] = [3 * sticks[i], 3 * sticks[i + 1]];
      const delta = [0, 1, 2].map((axis) => this.positions[a + axis] - this.positions[b + axis]);
      const length = Math.hypot(...delta);
      if (length > 0) lengths.push(length);
    }
    return lengths.sort((a, b) => a - b)[lengths.length >> 2] || 0.05;
  }

  /**
   * The bounding box of `bounds` and the obstacles (see `boxOfObstacles`). If `bounds` is missing or not finite, the
   * bounding box of the particles is used instead.
   */
  box(bounds) {
    if (!this.positions) return null;
    const box = bounds?.flat().every(Number.isFinite) ? bounds : this.particleBox();
    return box && boxOfObstacles(this.mesh.obstacles, this.poses, box);
  }

  /** The bounding box of the current positions of particles; `null` if there is none. */
  particleBox() {
    return this.positions && boxAround(this.positions, this.mesh.particles);
  }

  /** The position of a vertex, m; `null` if there is none. The first vertices are the particles. */
  position(id) {
    if (!this.positions || !(id >= 0 && id < this.mesh.vertices)) return null;
    return [...this.positions.subarray(3 * id, 3 * id + 3)];
  }

  /** Adjusts the resolution of the canvas to its size on the page. Returns whether it changed. */
  resize(pixelRatio) {
    const width = Math.max(1, Math.round(this.canvas.clientWidth * pixelRatio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * pixelRatio));
    if (this.canvas.width === width && this.canvas.height === height) return false;
    Object.assign(this.canvas, { width, height });
    return true;
  }

  /** Draws the picture. */
  draw({ camera, extent, options, isDark, pixelRatio, quality }) {
    const { gl, matter, mesh, poses, colours, stickLength } = this;
    const theme = THEMES[isDark ? 'dark' : 'light'];
    const view = { camera, extent, options, theme, pixelRatio, quality, matter, mesh, poses, colours, stickLength };
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    if (!this.positions) {
      this.space.backdrop.draw(view);
      return;
    }
    if (camera.isFlat) this.plane.draw(view);
    else this.space.draw(view, this.hasMoved);
    this.hasMoved = false;
  }
}
