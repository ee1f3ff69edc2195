// Colours of models, and of the light and the dark theme. Colours of lit surfaces are linear; colours of lines and of
// flat areas are sRGB.

const hex = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);
const linear = (text) => hex(text).map((x) => x ** 2.2);

/** Colours of the front and the back of cloths, assigned in rotation. */
const CLOTHS = [
  ['#c8452f', '#e8c9a4'],
  ['#2f6f8f', '#d8dcd2'],
  ['#d59a2e', '#efe2c4'],
  ['#5b7b4a', '#e2dfc5'],
].map((pair) => pair.map(linear));

/** Colours of bodies and ragdolls, assigned in rotation. */
const BODIES = ['#e0a53b', '#3f7f9f', '#cf5a40', '#6c9660', '#8d6a9f', '#d9c7a3', '#4b9c94', '#b8505c'].map(linear);

const WOOD = linear('#7d5a3c');
const LEAF = [linear('#5f8f3e'), linear('#8fae5f')];
const ROPE = linear('#c9a66b');
const GRAIN = linear('#4aa3d8');

/** The colours of the part with this index: those of the front and back of its faces, and that of its tubes. */
export function coloursOf({ kind }, index) {
  switch (kind) {
    case 'cloth': return { faces: CLOTHS[index % CLOTHS.length], tube: ROPE };
    case 'plant': return { faces: LEAF, tube: WOOD };
    case 'rope':
    case 'tie': return { faces: [ROPE, ROPE], tube: ROPE };
    case 'grains': return { faces: [GRAIN, GRAIN], tube: GRAIN };
    default: {
      const colour = BODIES[index % BODIES.length];
      return { faces: [colour, colour], tube: colour };
    }
  }
}

const shared = {
  long: hex('#f2542d'), // of stretched sticks
  short: hex('#2a9df4'), // of compressed sticks
};

/**
 * `top`, `bottom`: the background; `floor`, `grid`: floors and their lines; `line`: sticks; `outline`: around tubes in
 * 2-D; `faint`: edges of obstacles in 2-D; `fillAlpha`: opacity of faces in 2-D; `obstacle`, `obstacleFlat`: obstacles
 * in 3-D and in 2-D; `key`, `sky`, `earth`: lights (see `shading.js`); `shade`: strength of shadows on floors.
 */
export const THEMES = {
  light: {
    ...shared,
    top: hex('#fbfaf7'), bottom: hex('#dcd8cf'), floor: hex('#e9e5dc'), grid: hex('#b9b2a4'),
    line: hex('#4a443c'), outline: hex('#f4f1ea'), faint: hex('#8c8577'), fillAlpha: 0.16,
    obstacle: linear('#aab0b4'), obstacleFlat: hex('#d3d0c8'),
    key: [1.0, 0.96, 0.9].map((x) => 0.92 * x), sky: [0.44, 0.47, 0.52], earth: [0.3, 0.27, 0.25],
    shade: 0.42,
  },
  dark: {
    ...shared,
    top: hex('#23282f'), bottom: hex('#0e1114'), floor: hex('#1d2228'), grid: hex('#465261'),
    line: hex('#d9dde2'), outline: hex('#14171b'), faint: hex('#8b95a1'), fillAlpha: 0.2,
    obstacle: linear('#8b949c'), obstacleFlat: hex('#333b44'),
    key: [1.0, 0.95, 0.88].map((x) => 0.95 * x), sky: [0.24, 0.28, 0.35], earth: [0.12, 0.11, 0.12],
    shade: 0.6,
  },
};

/** Converts a linear colour to sRGB. */
export const toSrgb = (colour) => colour.map((x) => x ** (1 / 2.2));
