// Pointer input in the picture, by mouse, pen and any number of fingers: drags particles, cuts, and orbits, pans and
// zooms the view. Each pointer has one action (`orbit`, `pan`, `hold` or `cut`) from pointerdown to pointerup.

const PICK_RADIUS = { mouse: 14, pen: 18, touch: 30 }; // distance within which a particle is grabbed, pixels
const CUT_LENGTH_MIN = 3; // shorter cuts are not sent, pixels
const TRAIL_TIME = 400; // ms for which a cut stays visible
/** The zoom factor per pixel of the wheel. */
const WHEEL_ZOOM = 1.0015;

export class PointerInput {
  constructor({ canvas, overlay, renderer, camera, send }) {
    Object.assign(this, { canvas, overlay, renderer, camera, send });
    this.pointers = new Map(); // the pressed pointers, by id
    this.mouse = null; // the position of the mouse, also while no button is pressed
    this.cutKey = false; // whether the key for cutting is held
    this.cutMode = false; // whether the tool for cutting is switched on
    this.trail = []; // the last cuts
    this.hovered = null; // the particle under the mouse
    this.needsPick = false; // whether the mouse has moved since the last search for the particle under it
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      canvas.addEventListener(name, (event) => this.up(event));
    }
    canvas.addEventListener('pointerleave', () => this.leave());
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
  }

  /** Forgets the held particles after a change of scene or a disconnection. Their pointers now orbit. */
  releaseAll() {
    for (const pointer of this.pointers.values()) if (pointer.action === 'hold') pointer.action = 'orbit';
    this.hover(null);
  }

  /** The particles that this page holds, one for each pointer with the action `hold`. */
  get held() {
    return [...this.pointers.values()].filter(({ action }) => action === 'hold').map(({ particle }) => particle);
  }

  /** Sets whether the key for cutting is held; while it is, the mouse cuts without a button. */
  setCutKey(isDown) {
    this.cutKey = isDown;
    this.showCursor();
  }

  /** Sets whether the tool for cutting is switched on. */
  setCutMode(isOn) {
    this.cutMode = isOn;
    this.showCursor();
  }

  /** The position of an event, in pixels of the picture. */
  pixelsOf(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** Converts pixels of the picture to coordinates from -1 to 1. */
  normalize([x, y]) {
    return [(2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight];
  }

  down(event) {
    const [x, y] = this.pixelsOf(event);
    this.canvas.setPointerCapture(event.pointerId);
    const pointer = { x, y, type: event.pointerType, action: 'orbit' };
    if (event.button === 2 || this.cutKey || this.cutMode) {
      Object.assign(pointer, { action: 'cut', cutFrom: [x, y] });
    } else if (event.button === 1 || event.shiftKey) {
      pointer.action = 'pan';
    } else {
      const particle = this.pick([x, y], PICK_RADIUS[event.pointerType] ?? PICK_RADIUS.mouse);
      if (particle !== null) {
        const point = this.renderer.position(particle);
        const pixels = this.toPixels(point);
        Object.assign(pointer, {
          action: 'hold', particle, point, hasMoved: false, offset: [pixels[0] - x, pixels[1] - y],
        });
        this.send('grab', { particle });
      }
    }
    this.pointers.set(event.pointerId, pointer);
    this.hover(null);
    this.showCursor();
  }

  move(event) {
    const [x, y] = this.pixelsOf(event);
    if (event.pointerType === 'mouse') {
      this.mouse = { cutFrom: this.mouse?.cutFrom ?? [x, y], x, y };
      this.needsPick = true;
    }
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    const [dx, dy] = [x - pointer.x, y - pointer.y];
    const others = [...this.pointers.values()].filter((other) => other !== pointer && other.action === 'orbit');
    if (pointer.action === 'orbit' && others.length) this.pinch(pointer, others[0], x, y);
    else if (pointer.action === 'orbit') this.camera.orbit(dx, dy);
    else if (pointer.action === 'pan') this.camera.pan(dx, dy);
    else if (pointer.action === 'hold') pointer.hasMoved = true;
    Object.assign(pointer, { x, y });
  }

  up(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    this.pointers.delete(event.pointerId);
    if (pointer.action === 'hold' && !this.held.includes(pointer.particle)) {
      this.send('release', { particle: pointer.particle }); // unless another finger holds it, too
    }
    if (pointer.action === 'cut' && event.type === 'pointerup') {
      [pointer.x, pointer.y] = this.pixelsOf(event);
      this.continueCut(pointer); // the movement since the last frame
    }
    this.showCursor();
  }

  /** The mouse has left the picture. */
  leave() {
    if (this.cutKey && this.mouse && !this.pointers.size) this.continueCut(this.mouse);
    this.mouse = null; // a cut by key starts again where the mouse comes back
    this.hover(null);
  }

  /** One of two fingers moved to x, y: the movement of their middle pans, the change of their distance zooms. */
  pinch(moved, other, x, y) {
    const before = Math.hypot(moved.x - other.x, moved.y - other.y);
    const after = Math.hypot(x - other.x, y - other.y);
    this.camera.pan((x - moved.x) / 2, (y - moved.y) / 2);
    if (before > 1 && after > 1) this.camera.zoom(before / after, this.normalize([(x + other.x) / 2, (y + other.y) / 2]));
  }

  wheel(event) {
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? 16 : 1; // per unit of the event; mode 1: lines
    if (event.shiftKey) this.camera.pan(-event.deltaX * pixels, -event.deltaY * pixels);
    // Pinching on a touchpad gives small wheel events with `ctrlKey`, hence the factor 6.
    else this.camera.zoom(WHEEL_ZOOM ** (event.deltaY * pixels * (event.ctrlKey ? 6 : 1)), this.normalize(this.pixelsOf(event)));
  }

  /** Projects a point to x and y, pixels of the picture, and its distance, m; `null` if it is behind the camera. */
  toPixels(point) {
    const projected = this.camera.project(point);
    if (!projected) return null;
    const [x, y, distance] = projected;
    return [((x + 1) / 2) * this.canvas.clientWidth, ((1 - y) / 2) * this.canvas.clientHeight, distance];
  }

  /**
   * The particle that is nearest to a point of the picture, within a radius, pixels; `null` if there is none. Particles
   * in front are preferred.
   */
  pick([x, y], radius) {
    const { positions, mesh } = this.renderer;
    if (!positions) return null;
    const m = this.camera.viewProjection;
    const [width, height] = [this.canvas.clientWidth / 2, this.canvas.clientHeight / 2];
    // How many pixels a metre of depth counts: 80 pixels for the distance from the camera to its target.
    const depthWeight = this.camera.isFlat ? 0 : 80 / this.camera.now.distance;
    let best = null;
    let bestScore = Infinity;
    for (let id = 0, i = 0; id < mesh.particles; id++, i += 3) {
      const worldX = positions[i];
      const worldY = positions[i + 1];
      const worldZ = positions[i + 2];
      const w = m[3] * worldX + m[7] * worldY + m[11] * worldZ + m[15];
      const dx = ((m[0] * worldX + m[4] * worldY + m[8] * worldZ + m[12]) / w + 1) * width - x;
      const dy = (1 - (m[1] * worldX + m[5] * worldY + m[9] * worldZ + m[13]) / w) * height - y;
      const distance = Math.sqrt(dx * dx + dy * dy);
      if (!(distance < radius && w > 0)) continue;
      const score = distance + depthWeight * w;
      if (score < bestScore) {
        bestScore = score;
        best = id;
      }
    }
    return best;
  }

  /** Sends a cut along the line between two points of the picture, and shows it. */
  cut(from, to) {
    const length = 10 * this.camera.now.distance; // of the blade, m: it ends behind the scene
    const [a, b] = [from, to].map((pixels) => this.camera.ray(this.normalize(pixels), length));
    this.send('cut', { from: a, to: b });
    this.trail.push({ from, to, time: performance.now() });
  }

  /** Cuts from where the last cut of a pointer ended to its current position. */
  continueCut(pointer) {
    const [x, y] = pointer.cutFrom;
    if (Math.hypot(pointer.x - x, pointer.y - y) < CUT_LENGTH_MIN) return;
    this.cut([x, y], [pointer.x, pointer.y]);
    pointer.cutFrom = [pointer.x, pointer.y];
  }

  /** Sends drags and cuts, and shows held and hovered particles. Call it once per drawn frame. */
  flush() {
    const rings = [];
    for (const pointer of this.pointers.values()) {
      if (pointer.action === 'hold') {
        const target = [pointer.x + pointer.offset[0], pointer.y + pointer.offset[1]];
        if (pointer.hasMoved) {
          pointer.point = this.camera.onPlane(this.normalize(target), pointer.point);
          this.send('drag', { particle: pointer.particle, to: pointer.point });
          pointer.hasMoved = false;
        }
        const pixels = this.toPixels(this.renderer.position(pointer.particle) ?? pointer.point);
        if (pixels) rings.push({ at: pixels, held: true });
      }
      if (pointer.action === 'cut') this.continueCut(pointer);
    }
    if (this.mouse) {
      if (this.cutKey && !this.pointers.size) this.continueCut(this.mouse);
      else this.mouse.cutFrom = [this.mouse.x, this.mouse.y];
    }
    if (this.needsPick && !this.pointers.size && this.mouse) {
      this.needsPick = false;
      this.hover(this.isCutting() ? null : this.pick([this.mouse.x, this.mouse.y], PICK_RADIUS.mouse));
    }
    const hovered = this.hovered !== null && this.renderer.position(this.hovered);
    const pixels = hovered && this.toPixels(hovered);
    if (pixels) rings.push({ at: pixels, held: false });
    this.overlay.show(rings, this.fadingTrail());
  }

  /** The last cuts, each with its opacity; forgets the older ones. */
  fadingTrail() {
    const now = performance.now();
    this.trail = this.trail.filter(({ time }) => now - time < TRAIL_TIME);
    return this.trail.map(({ from, to, time }) => ({ from, to, opacity: 1 - (now - time) / TRAIL_TIME }));
  }

  /** Whether a movement of the pointer cuts. */
  isCutting() {
    return this.cutKey || this.cutMode || [...this.pointers.values()].some(({ action }) => action === 'cut');
  }

  /** Sets the particle under the mouse. */
  hover(particle) {
    this.hovered = particle;
    if (particle === null) this.needsPick = false;
    this.showCursor();
  }

  showCursor() {
    const actions = [...this.pointers.values()].map(({ action }) => action);
    const cursor = this.isCutting() ? 'crosshair'
      : actions.length ? 'grabbing'
        : this.hovered !== null ? 'grab' : 'default';
    if (this.canvas.style.cursor !== cursor) this.canvas.style.cursor = cursor;
  }
}
