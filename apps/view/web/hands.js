// Pointer input in the picture: drag particles, cut, orbit, pan, zoom. Mouse, pen and any number of
// fingers; each pointer has one job from down to up.

const NEAR = { mouse: 14, pen: 18, touch: 30 }; // pixels within which a particle is taken
const CUT_STEP = 3; // pixels between two cuts of a stroke
const TRAIL = 400; // ms for which a stroke stays visible
/** Zoom factor of the wheel per pixel. */
const WHEEL = 1.0015;

export class Hands {
  constructor({ canvas, overlay, stage, camera, send }) {
    Object.assign(this, { canvas, overlay, stage, camera, send });
    this.pointers = new Map();
    this.mouse = null;
    this.cutKey = false;
    this.cutMode = false;
    this.trail = [];
    this.hovered = null;
    this.needsPick = false;
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      canvas.addEventListener(name, (event) => this.up(event));
    }
    canvas.addEventListener('pointerleave', () => this.hover(null));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
  }

  /** Releases everything after a change of scene; the host has already released it. */
  drop() {
    for (const pointer of this.pointers.values()) if (pointer.job === 'hold') pointer.job = 'orbit';
    this.hover(null);
  }

  /** The particles that are held. */
  get held() {
    return [...this.pointers.values()].filter(({ job }) => job === 'hold').map(({ particle }) => particle);
  }

  setCutKey(isDown) {
    this.cutKey = isDown;
    if (this.mouse) this.mouse.cutFrom = [this.mouse.x, this.mouse.y];
    this.showCursor();
  }

  setCutMode(isOn) {
    this.cutMode = isOn;
    this.showCursor();
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** From pixels of the page to -1 … 1. */
  unit([x, y]) {
    return [(2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight];
  }

  down(event) {
    const [x, y] = this.place(event);
    this.canvas.setPointerCapture(event.pointerId);
    const pointer = { x, y, type: event.pointerType, job: 'orbit' };
    if (event.button === 2 || this.cutKey || this.cutMode) {
      Object.assign(pointer, { job: 'cut', cutFrom: [x, y] });
    } else if (event.button === 1 || event.shiftKey) {
      pointer.job = 'pan';
    } else {
      const particle = this.pick([x, y], NEAR[event.pointerType] ?? NEAR.mouse);
      if (particle !== null) {
        const point = this.stage.position(particle);
        const seen = this.toPixels(point);
        Object.assign(pointer, {
          job: 'hold', particle, point, target: null, offset: [seen[0] - x, seen[1] - y],
        });
        this.send('grab', { particle });
      }
    }
    this.pointers.set(event.pointerId, pointer);
    this.hover(null);
    this.showCursor();
  }

  move(event) {
    const [x, y] = this.place(event);
    if (event.pointerType === 'mouse') {
      this.mouse = { cutFrom: this.mouse?.cutFrom ?? [x, y], x, y };
      this.needsPick = true;
    }
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    const [dx, dy] = [x - pointer.x, y - pointer.y];
    const others = [...this.pointers.values()].filter((it) => it !== pointer && it.job === 'orbit');
    if (pointer.job === 'orbit' && others.length) this.pinch(pointer, others[0], x, y);
    else if (pointer.job === 'orbit') this.camera.orbit(dx, dy);
    else if (pointer.job === 'pan') this.camera.pan(dx, dy);
    else if (pointer.job === 'hold') pointer.target = true;
    Object.assign(pointer, { x, y });
  }

  up(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    this.pointers.delete(event.pointerId);
    if (pointer.job === 'hold') this.send('release', { particle: pointer.particle });
    this.showCursor();
  }

  /** Two fingers: the one moved, the other not. Their middle pans, their distance zooms. */
  pinch(moved, still, x, y) {
    const before = Math.hypot(moved.x - still.x, moved.y - still.y);
    const after = Math.hypot(x - still.x, y - still.y);
    this.camera.pan((x - moved.x) / 2, (y - moved.y) / 2);
    if (before > 1 && after > 1) this.camera.zoom(before / after, this.unit([(x + still.x) / 2, (y + still.y) / 2]));
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    if (event.shiftKey) this.camera.pan(-event.deltaX * lines, -event.deltaY * lines);
    else this.camera.zoom(WHEEL ** (event.deltaY * lines * (event.ctrlKey ? 6 : 1)), this.unit(this.place(event)));
  }

  toPixels(point) {
    const seen = this.camera.project(point);
    if (!seen) return null;
    return [((seen[0] + 1) / 2) * this.canvas.clientWidth, ((1 - seen[1]) / 2) * this.canvas.clientHeight, seen[2]];
  }

  /** The particle nearest to a point of the picture; of several there, the one in front. */
  pick([x, y], within) {
    const { positions, mesh } = this.stage;
    if (!positions) return null;
    const m = this.camera.viewProjection;
    const [width, height] = [this.canvas.clientWidth / 2, this.canvas.clientHeight / 2];
    const behind = this.camera.isFlat ? 0 : 80 / this.camera.now.distance;
    let best = null;
    let least = Infinity;
    for (let id = 0, i = 0; id < mesh.particles; id++, i += 3) {
      const px = positions[i];
      const py = positions[i + 1];
      const pz = positions[i + 2];
      const w = m[3] * px + m[7] * py + m[11] * pz + m[15];
      const dx = ((m[0] * px + m[4] * py + m[8] * pz + m[12]) / w + 1) * width - x;
      const dy = (1 - (m[1] * px + m[5] * py + m[9] * pz + m[13]) / w) * height - y;
      const far = Math.sqrt(dx * dx + dy * dy);
      if (!(far < within && w > 0)) continue;
      const score = far + behind * w;
      if (score < least) {
        least = score;
        best = id;
      }
    }
    return best;
  }

  cut(from, to) {
    const reach = 10 * this.camera.now.distance;
    const [a, b] = [from, to].map((at) => this.camera.ray(this.unit(at), reach));
    this.send('cut', { from: a, to: b });
    this.trail.push({ from, to, at: performance.now() });
  }

  stroke(it) {
    const [x, y] = it.cutFrom;
    if (Math.hypot(it.x - x, it.y - y) < CUT_STEP) return;
    this.cut([x, y], [it.x, it.y]);
    it.cutFrom = [it.x, it.y];
  }

  /** Called once per drawn frame: sends drags and cuts, and shows held particles. */
  flush() {
    const rings = [];
    for (const pointer of this.pointers.values()) {
      if (pointer.job === 'hold') {
        const at = [pointer.x + pointer.offset[0], pointer.y + pointer.offset[1]];
        if (pointer.target) {
          pointer.point = this.camera.onPlane(this.unit(at), pointer.point);
          this.send('drag', { particle: pointer.particle, to: pointer.point });
          pointer.target = null;
        }
        const seen = this.toPixels(this.stage.position(pointer.particle) ?? pointer.point);
        if (seen) rings.push({ at: seen, held: true });
      }
      if (pointer.job === 'cut') this.stroke(pointer);
    }
    if (this.cutKey && this.mouse && !this.pointers.size) this.stroke(this.mouse);
    if (this.needsPick && !this.pointers.size && this.mouse) {
      this.needsPick = false;
      this.hover(this.isCutting() ? null : this.pick([this.mouse.x, this.mouse.y], NEAR.mouse));
    }
    const hovered = this.hovered !== null && this.stage.position(this.hovered);
    const seen = hovered && this.toPixels(hovered);
    if (seen) rings.push({ at: seen, held: false });
    this.overlay.show(rings, this.fadingTrail());
  }

  fadingTrail() {
    const now = performance.now();
    this.trail = this.trail.filter(({ at }) => now - at < TRAIL);
    return this.trail.map(({ from, to, at }) => ({ from, to, left: 1 - (now - at) / TRAIL }));
  }

  isCutting() {
    return this.cutKey || this.cutMode || [...this.pointers.values()].some(({ job }) => job === 'cut');
  }

  hover(particle) {
    this.hovered = particle;
    if (particle === null) this.needsPick = false;
    this.showCursor();
  }

  showCursor() {
    const jobs = [...this.pointers.values()].map(({ job }) => job);
    const cursor = this.isCutting() ? 'crosshair'
      : jobs.length ? 'grabbing'
        : this.hovered !== null ? 'grab' : 'default';
    if (this.canvas.style.cursor !== cursor) this.canvas.style.cursor = cursor;
  }
}
