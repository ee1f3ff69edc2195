// A small graph of a figure over the last half minute.

const SAMPLES = 300; // ten a second

export class Graph {
  /** `colours` names CSS variables, one for each line. */
  constructor(canvas, colours) {
    this.canvas = canvas;
    this.colours = colours;
    this.lines = colours.map(() => new Float32Array(SAMPLES));
    this.count = 0;
  }

  clear() {
    this.count = 0;
  }

  /** One more moment: a value for each line, NaN where there is none. */
  push(values) {
    const at = this.count++ % SAMPLES;
    this.lines.forEach((line, i) => {
      line[at] = values[i] ?? NaN;
    });
    this.draw();
  }

  draw() {
    const { canvas, lines, count } = this;
    const ratio = Math.min(devicePixelRatio, 2);
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    if (!width) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext('2d');
    const style = getComputedStyle(canvas);
    context.clearRect(0, 0, width, height);
    const kept = Math.min(count, SAMPLES);
    let most = 0;
    for (const line of lines) for (let i = 0; i < kept; i++) if (line[i] > most && line[i] < 1e30) most = line[i];
    if (!most) return;
    const x = (i) => width - ratio - ((kept - 1 - i) * (width - 2 * ratio)) / (SAMPLES - 1);
    const y = (value) => height - ratio - (Math.min(value, most) / most) * (height - 5 * ratio);
    lines.forEach((line, k) => {
      const colour = style.getPropertyValue(this.colours[k]);
      const path = new Path2D();
      let begun = null;
      let last = null;
      for (let i = 0; i < kept; i++) {
        const value = line[(count - kept + i) % SAMPLES];
        if (!Number.isFinite(value)) continue;
        if (begun === null) path.moveTo((begun = x(i)), y(value));
        else path.lineTo(x(i), y(value));
        last = [x(i), y(value)];
      }
      if (!last) return;
      context.strokeStyle = colour;
      context.lineWidth = 1.5 * ratio;
      context.lineJoin = 'round';
      context.stroke(path);
      if (k === 0) {
        path.lineTo(last[0], height);
        path.lineTo(begun, height);
        context.globalAlpha = 0.13;
        context.fillStyle = colour;
        context.fill(path);
        context.globalAlpha = 1;
      }
    });
  }
}
