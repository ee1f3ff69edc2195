// SVG drawings over the picture: rings around particles, and the trail of a cut.

/** Creates an SVG element. */
const make = (name, attributes) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

export class Overlay {
  constructor(svg) {
    this.svg = svg;
    this.rings = [];
    this.strokes = [];
  }

  /**
   * Makes the first `count` of `elements` visible and hides the others. If there are too few, creates more, each with
   * this name and these attributes.
   */
  pool(elements, count, name, attributes) {
    while (elements.length < count) elements.push(this.svg.appendChild(make(name, attributes)));
    elements.forEach((element, i) => {
      const hidden = i >= count;
      if (element.hidden_ !== hidden) element.style.display = hidden ? 'none' : '';
      // Not a property of the DOM: it stores what the style says, so that the style is written only if it changes.
      element.hidden_ = hidden;
    });
    return elements;
  }

  /**
   * Shows `rings` around held and hovered particles (`at`: the centre, pixels of the picture), and `trail`: the parts
   * of a cut, each a line with an opacity.
   */
  show(rings, trail) {
    const circles = this.pool(this.rings, rings.length, 'circle', {});
    rings.forEach(({ at: [x, y], held }, i) => {
      circles[i].setAttribute('cx', x);
      circles[i].setAttribute('cy', y);
      circles[i].setAttribute('r', held ? 9 : 6); // pixels
      circles[i].setAttribute('class', held ? 'held' : 'hovered');
    });
    const lines = this.pool(this.strokes, trail.length, 'line', { class: 'cut' });
    trail.forEach(({ from, to, opacity }, i) => {
      const attributes = { x1: from[0], y1: from[1], x2: to[0], y2: to[1], 'stroke-opacity': opacity, 'stroke-width': 1 + 2 * opacity };
      for (const [key, value] of Object.entries(attributes)) lines[i].setAttribute(key, value);
    });
  }
}
