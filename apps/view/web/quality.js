// Drawing quality: lowered if drawing takes too long, as on a machine without a graphics card.

const LEVELS = [
  { mostPixelRatio: 2, shadowSize: 2048, softShadow: true },
  { mostPixelRatio: 1, shadowSize: 1024, softShadow: true },
  { mostPixelRatio: 1, shadowSize: 512, softShadow: false },
  { mostPixelRatio: 0.6, shadowSize: 512, softShadow: false },
];
/** Renderer names of software drawing. */
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i;
const TOO_LONG = 45; // ms between pictures
const AT_LEAST = 20; // pictures per decision

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
    // `?quality=full`, for screenshots.
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

  /** Records the time between two pictures, ms; returns whether the level changed. */
  note(elapsed) {
    if (this.isFixed) return false;
    if (document.hidden || elapsed > 1000) {
      this.restart(); // the page was hidden
      return false;
    }
    this.count++;
    this.sum += elapsed;
    if (this.count < AT_LEAST) return false;
    const isSlow = this.sum / this.count > TOO_LONG && this.level + 1 < LEVELS.length;
    if (isSlow) this.level++;
    this.restart();
    return isSlow;
  }
}
