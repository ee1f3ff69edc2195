// A small graph of some values over the last 30 s.

const SAMPLES = 300; // 30 s: the host sends figures ten times per second

export class Graph {
  /** `colours` are names of CSS variables, one for each line. */
  constructor(canvas, colours) {
    this.canvas = canvas;
    this.colours = colours;
    this.lines = colours.map(() => new Float32Array(SAMPLES));
    this.count = 0; // samples since the last call of `clear`
  }

  /** Forgets all samples. */
  clear() {
    this.count = 0;
  }

  /** Adds a sample (a value for each line, NaN if it has none), and draws the graph. */
  push(values) {
    const index = this.count++ % SAMPLES;
    this.lines.forEach((line, i) => {
      line[index] = values[i] ?? NaN;
    });
    this.draw();
  }

  draw() {
    const { canvas, lines, count } = this;
    const ratio = Math.min(devicePixelRatio, 2); // canvas pixels per CSS pixel
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    if (!width) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext('2d');
    const style = getComputedStyle(canvas);
    context.clearRect(0, 0, width, height);
    const shown = Math.min(count, SAMPLES); // number of samples that are drawn
    // The top of the graph. The values of a simulation that blew up do not count.
    let max = 0;
    for (const line of lines) for (let i = 0; i < shown; i++) if (line[i] > max && line[i] < 1e30) max = line[i];
    if (!max) return;
    const x = (i) => width - ratio - ((shown - 1 - i) * (width - 2 * ratio)) / (SAMPLES - 1);
    const y = (value) => height - ratio - (Math.min(value, max) / max) * (height - 5 * ratio);
    lines.forEach((line, k) => {
      const colour = style.getPropertyValue(this.colours[k]);
      const path = new Path2D();
      let startX = null;
      let last = null;
      for (let i = 0; i < shown; i++) {
        const value = line[(count - shown + i) % SAMPLES];
        if (!Number.isFinite(value)) continue;
        if (startX === null) path.moveTo((startX = x(i)), y(value));
        else path.lineTo(x(i), y(value));
        last = [x(i), y(value)];
      }
      if (!last) return;
      context.strokeStyle = colour;
      context.lineWidth = 1.5 * ratio;
      context.lineJoin = 'round';
      context.stroke(path);
      // The area below the first line is filled.
      if (k === 0) {
        path.lineTo(last[0], height);
        path.lineTo(startX, height);
        context.globalAlpha = 0.13;
        context.fillStyle = colour;
        context.fill(path);
        context.globalAlpha = 1;
      }
    });
  }
}
