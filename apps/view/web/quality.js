// The drawing quality, which is lowered if drawing takes too long, for example without a graphics card.

/**
 * The levels of quality, the best first: the largest number of canvas pixels per CSS pixel, the size of the shadow map
 * in texels, and whether shadows have soft edges.
 */
const LEVELS = [
  { maxPixelRatio: 2, shadowSize: 2048, softShadow: true },
  { maxPixelRatio: 1, shadowSize: 1024, softShadow: true },
  { maxPixelRatio: 1, shadowSize: 512, softShadow: false },
  { maxPixelRatio: 0.6, shadowSize: 512, softShadow: false },
];
/** Matches the names of software renderers. */
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i;
const FRAME_TIME_MAX = 45; // ms, mean
const FRAMES_PER_MEAN = 20; // the quality may change after each mean

export class Quality {
  constructor() {
    this.level = 0;
    this.isAntialiased = true;
    this.clearMean();
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) return;
    const names = gl.getExtension('WEBGL_debug_renderer_info');
    const name = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    if (SOFTWARE.test(name)) Object.assign(this, { level: 2, isAntialiased: false }); // without soft shadows
    // `?quality=full` in the address always uses the best quality, for screenshots.
    this.isFixed = new URLSearchParams(location.search).get('quality') === 'full';
    if (this.isFixed) Object.assign(this, { level: 0, isAntialiased: true });
    // This context only served to read the name.
    gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  /** The current level. */
  get now() {
    return LEVELS[this.level];
  }

  clearMean() {
    this.count = 0;
    this.sum = 0;
  }

  /** Records the time between two frames of the browser, ms. Returns whether the level changed. */
  recordFrame(elapsed) {
    if (this.isFixed) return false;
    if (document.hidden || elapsed > 1000) {
      this.clearMean(); // the page is or was hidden, so this time is not that of drawing
      return false;
    }
    this.count++;
    this.sum += elapsed;
    if (this.count < FRAMES_PER_MEAN) return false;
    const isSlow = this.sum / this.count > FRAME_TIME_MAX && this.level + 1 < LEVELS.length;
    if (isSlow) this.level++;
    this.clearMean();
    return isSlow;
  }
}
