// Drawing quality. It is lowered if drawing takes too long, for example without a graphics card.

const LEVELS = [
  { maxPixelRatio: 2, shadowSize: 2048, softShadow: true },
  { maxPixelRatio: 1, shadowSize: 1024, softShadow: true },
  { maxPixelRatio: 1, shadowSize: 512, softShadow: false },
  { maxPixelRatio: 0.6, shadowSize: 512, softShadow: false },
];
/** Matches the names of software renderers. */
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i;
const FRAME_TIME_MAX = 45; // ms, mean
const FRAMES_PER_DECISION = 20; // frames over which the mean is taken

export class Quality {
  constructor() {
    this.level = 0;
    this.isSoftware = false;
    this.restart();
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) return;
    const names = gl.getExtension('WEBGL_debug_renderer_info');
    const name = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    this.isSoftware = SOFTWARE.test(name);
    if (this.isSoftware) this.level = 2;
    // `?quality=full` is for screenshots.
    this.isFixed = new URLSearchParams(location.search).get('quality') === 'full';
    if (this.isFixed) Object.assign(this, { level: 0, isSoftware: false });
    gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  get now() {
    return LEVELS[this.level];
  }

  restart() {
    this.count = 0;
    this.sum = 0;
  }

  /** Records the time between two drawn frames, ms. Returns whether the level changed. */
  recordFrame(elapsed) {
    if (this.isFixed) return false;
    if (document.hidden || elapsed > 1000) {
      this.restart(); // the page was hidden
      return false;
    }
    this.count++;
    this.sum += elapsed;
    if (this.count < FRAMES_PER_DECISION) return false;
    const isSlow = this.sum / this.count > FRAME_TIME_MAX && this.level + 1 < LEVELS.length;
    if (isSlow) this.level++;
    this.restart();
    return isSlow;
  }
}
