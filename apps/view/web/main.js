// The main module: passes the messages of the host to the picture and the panel, and input of the user to the host.
// Each time that it has received and uploaded a frame, it requests the next one.

import { Camera } from './camera.js';
import { add, scale, subtract } from './draw/math.js';
import { boxOfBoth } from './draw/mesh.js';
import { Renderer } from './draw/renderer.js';
import { Figures } from './figures.js';
import { PointerInput } from './pointer-input.js';
import { Messages } from './messages.js';
import { Overlay } from './overlay.js';
import { Panel } from './panel.js';
import { decodeBinary, decodeText, encode } from './protocol.js';
import { Quality } from './quality.js';
import { connectSocket } from './socket.js';
import { connectWorker } from './worker-transport.js';

const $ = (selector) => document.querySelector(selector);
const canvas = $('#picture');
const messages = new Messages($('#toasts'), $('#banner'));
const figures = new Figures($('#figures'), $('#race'));
const camera = new Camera();
const quality = new Quality();
// What the picture shows.
const options = { surface: true, sticks: false, stretch: false, particles: false };

let state = null; // the last state of the host
let nextFrame = null; // the newest received frame, if it was not yet uploaded
let isDirty = true; // whether the picture must be drawn again
let isConnected = false;
let viewedScene = null; // key of the scene for which the camera was set up
let reached = null; // bounding box of all positions of that scene so far
let settledBox = null; // bounding box after SETTLING_STEPS steps, if that scene is then far smaller than before
let hasStoppedFollowing = false; // whether the camera no longer follows that scene, because it has settled
// The box that the camera shows (centre, half extents and radius) and the height of the floor, m.
let extent = { centre: [0, 0, 0], half: [1, 1, 1], radius: 1, floor: -1 };
let frames = 0; // number of received frames that were uploaded

/** Sends a command. Shows a message if the host is not connected. */
function send(command, fields) {
  if (!transport?.send(encode(command, fields))) messages.showToast('Not connected to the simulation.');
}

function makeRenderer() {
  try {
    return new Renderer(canvas, quality.isAntialiased);
  } catch (error) {
    messages.setBanner('picture', `Cannot draw: ${error.message}.`, 'bad');
    throw error;
  }
}
const renderer = makeRenderer();
const pointerInput = new PointerInput({ canvas, overlay: new Overlay($('#overlay')), renderer, camera, send });
const panel = new Panel($('#panel'), send, (text) => messages.showToast(text));
for (const field of document.querySelectorAll('#panel [data-figure]')) figures.fields[field.dataset.figure] = field;

// The connection to the host.

const transport = (document.documentElement.dataset.host === 'worker' ? connectWorker : connectSocket)({
  open() {
    isConnected = true;
    messages.setBanner('connection', '');
  },
  closed(reason) {
    isConnected = false;
    nextFrame = null;
    pointerInput.releaseAll();
    messages.setBanner('connection', reason, 'bad');
  },
  text(text) {
    const message = decodeText(text);
    if (message.say === 'state') takeState(message);
    else if (message.say === 'figures') takeFigures(message);
    else if (message.say === 'error') {
      messages.showToast(message.text);
      if (state) panel.showAgain();
    }
  },
  binary(buffer) {
    const message = decodeBinary(buffer);
    switch (message.kind) {
      case 'mesh':
        nextFrame = null;
        renderer.setMesh(message.mesh, message.epoch);
        break;
      case 'indices':
        if (message.epoch !== renderer.mesh?.epoch) return;
        renderer.setIndices(message);
        transport.send(encode('next'));
        break;
      case 'rests':
        if (message.epoch === renderer.mesh?.epoch) renderer.setRests(message.rests);
        break;
      case 'removed':
        if (message.epoch === renderer.mesh?.epoch && renderer.isReady) renderer.remove(message);
        break;
      default:
        nextFrame = message;
    }
    isDirty = true;
  },
});

/** Shows a new state of the host. */
function takeState(newState) {
  const isOtherScene = state?.scene !== newState.scene;
  // A reset keeps held particles; another scene or size releases them. A particle that the user grabbed in the old
  // picture while the new scene was loaded is held in the new scene, so the host is told to release it.
  if (isOtherScene || state.size !== newState.size) {
    for (const particle of pointerInput.held) send('release', { particle });
    pointerInput.releaseAll();
  }
  state = newState;
  if (isOtherScene) {
    nextFrame = null; // of the old scene
    figures.clear();
  }
  document.title = `${state.scene} – Taut`;
  $('#about').textContent = state.scenes.find(({ name }) => name === state.scene)?.about ?? '';
  panel.show(state);
  figures.showState(state);
  showTools();
  updateCoveredArea(isOtherScene);
  isDirty = true;
}

/** Shows new figures of the host. */
function takeFigures(newFigures) {
  figures.show(newFigures);
  updateCoveredArea(false); // the first figures of a race show its bars
  messages.setBanner('blown', newFigures.blown ? 'The simulation blew up: it is unstable with this schedule, this formula and these substeps. Change them, then press R to restart.' : '', 'bad');
}

// Keys and buttons.

/** The action of each key; the key C is handled separately, because it acts while it is held. */
const actions = {
  R: () => send('reset'),
  P: () => send('pause', { on: !state?.paused }),
  S: () => send('step'),
  G: () => send('gravity', { on: !state?.gravity }),
  W: () => send('wind', { on: !state?.wind }),
  T: () => send('tethers', { on: !state?.tethers }),
  X: () => send('collisions', { on: !state?.collisions }),
  Z: () => send('sleep', { on: !state?.sleep }),
  F: () => {
    reached = renderer.particleBox();
    lookAtAll(false);
  },
};

/** Shows which tools are switched on. */
function showTools() {
  const pressed = { P: state?.paused, G: state?.gravity, W: state?.wind, T: state?.tethers, X: state?.collisions, Z: state?.sleep, C: pointerInput.isCutting() };
  for (const button of document.querySelectorAll('#tools button')) {
    const { key } = button.dataset;
    if (key in pressed) button.setAttribute('aria-pressed', String(Boolean(pressed[key])));
  }
}

for (const button of document.querySelectorAll('#tools button')) {
  const { key } = button.dataset;
  const cap = document.createElement('kbd');
  cap.textContent = key;
  button.append(cap);
  button.onclick = () => {
    if (key === 'C') pointerInput.setCutMode(!pointerInput.cutMode);
    else actions[key]();
    showTools();
  };
}

/** Whether a key event is a shortcut of the browser or input to a control, and not for the page. */
const isForBrowser = (event) => (
  event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('select, textarea')
);

addEventListener('keydown', (event) => {
  if (isForBrowser(event)) return;
  const key = event.key.toUpperCase();
  if (key === 'C' && !event.repeat) pointerInput.setCutKey(true);
  if (actions[key] && (!event.repeat || key === 'S')) actions[key]();
  showTools();
});
addEventListener('keyup', (event) => {
  if (event.key.toUpperCase() !== 'C') return;
  pointerInput.setCutKey(false);
  showTools();
});
addEventListener('blur', () => pointerInput.setCutKey(false));

/** Shows which options of the picture are switched on. */
function showOptions() {
  for (const button of document.querySelectorAll('[data-option]')) {
    button.setAttribute('aria-pressed', String(options[button.dataset.option]));
  }
  isDirty = renderer.hasMoved = true; // what casts shadows may have changed
}
for (const button of document.querySelectorAll('[data-option]')) {
  button.onclick = () => {
    const { option } = button.dataset;
    options[option] = !options[option];
    // Stretch is shown as the colour of sticks, so sticks must be visible.
    if (option === 'stretch' && options.stretch) options.sticks = true;
    if (option === 'sticks' && !options.sticks) options.stretch = false;
    showOptions();
  };
}
showOptions();

const dark = matchMedia('(prefers-color-scheme: dark)');
dark.onchange = () => {
  isDirty = true;
};

// The picture.

/**
 * Number of steps after which a scene has settled: 5 s at 60 steps per second. Until then, the camera moves back if the
 * scene spreads.
 */
const SETTLING_STEPS = 300;

/** The radius of the sphere around a box. */
const radiusOf = ([min, max]) => Math.hypot(...subtract(max, min)) / 2;

/** Computes `extent` from the positions of the scene so far and its obstacles. */
function updateExtent() {
  const initial = renderer.box(state?.bounds);
  if (!initial) return;
  const [low, high] = settledBox ? renderer.box(settledBox) : initial;
  const radius = radiusOf([low, high]);
  // Particles that fly away enlarge the box on each side by at most its radius.
  const clipped = reached && [
    reached[0].map((x, axis) => Math.max(x, low[axis] - radius)),
    reached[1].map((x, axis) => Math.min(x, high[axis] + radius)),
  ];
  const [min, max] = clipped ? boxOfBoth([low, high], clipped) : [low, high];
  // At least 1 mm, so that the camera keeps a distance also from a single particle.
  const half = scale(subtract(max, min), 0.5).map((x) => Math.max(x, 1e-3));
  const centre = scale(add(min, max), 0.5);
  // The floor that is drawn if the scene has none: plants stand on it, other models hang above it.
  // `below`: its distance below the initial box, as a fraction of the radius of that box.
  const below = renderer.mesh.parts.some(({ kind }) => kind === 'plant') ? 0.01 : 0.3;
  const floor = initial[0][1] - below * radiusOf(initial);
  extent = { centre, half, radius: Math.hypot(...half), floor };
}

/** Moves the camera so that the whole scene is visible: at once if `atOnce`, otherwise over the next frames. */
function lookAtAll(atOnce) {
  updateExtent();
  camera.lookAt(extent, atOnce);
  isDirty = renderer.hasMoved = true; // the shadow map covers `extent`
}

/**
 * Tells the camera the size of the picture, and which part of it the overlays cover. If they changed, moves the camera
 * (see `lookAtAll`), unless the user moved it.
 */
function updateCoveredArea(atOnce) {
  const { top, bottom } = canvas.getBoundingClientRect();
  const above = Math.max(...['header', '#race'].map((selector) => $(selector).getBoundingClientRect().bottom - top));
  const below = bottom - $('#tools').getBoundingClientRect().top;
  if (!camera.resize(canvas.clientWidth, canvas.clientHeight, [above, below])) return;
  if (viewedScene && !camera.isMovedByUser) lookAtAll(atOnce);
  isDirty = true;
}

/** The camera moves nearer if the radius of the settled scene is below this fraction of the radius that it shows. */
const SETTLED_SIZE_MAX = 0.7;

/** Starts to follow a new or restarted scene with the camera. */
function startFollowing() {
  [reached, settledBox, hasStoppedFollowing] = [renderer.particleBox(), null, false];
}

/**
 * Unless the user moved the camera or holds a particle: moves the camera back if the scene spreads, and nearer if the
 * scene is far smaller once it has settled.
 */
function follow() {
  const isSettled = renderer.step > SETTLING_STEPS;
  if ((isSettled && hasStoppedFollowing) || camera.isMovedByUser || pointerInput.held.length) return;
  const now = renderer.particleBox();
  if (!now) return;
  if (isSettled) {
    hasStoppedFollowing = true;
    if (radiusOf(renderer.box(now)) < SETTLED_SIZE_MAX * extent.radius) {
      reached = settledBox = now;
      lookAtAll(false);
    }
    return;
  }
  if (hasStoppedFollowing) startFollowing(); // the scene was restarted
  reached = reached ? boxOfBoth(reached, now) : now;
  lookAtAll(false);
}

/**
 * Frames with more layers of faces (see `Mesh.layers`) are not drawn. The scenes curtain and drape have fewer than
 * three layers; after a blow-up they soon have thousands.
 */
const LAYERS_MAX = 40;

/**
 * Whether most of a frame is out of view or far larger than the picture, as after a blow-up. Drawing such a frame would
 * be slow and show nothing.
 */
function isOutOfView({ epoch, positions }) {
  if (!renderer.isReady || epoch !== renderer.mesh.epoch) return false; // `setFrame` rejects such a frame
  if (renderer.mesh.layers(positions, extent) > LAYERS_MAX) return true;
  const { particles } = renderer.mesh;
  const stride = Math.ceil(particles / 500); // at most 500 particles are examined
  let [sampled, outside] = [0, 0];
  for (let i = 0; i < 3 * particles; i += 3 * stride) {
    const distance = Math.hypot(...subtract(positions.subarray(i, i + 3), extent.centre));
    sampled++;
    if (distance > 10 * extent.radius) outside++;
  }
  return outside > sampled / 2;
}

/** Uploads the newest frame, unless it is out of view, and requests the next one. */
function takeFrame() {
  const message = nextFrame;
  nextFrame = null;
  const key = `${state?.scene} ${state?.size} ${state?.dimensions}`;
  if (viewedScene === key && isOutOfView(message)) {
    transport.send(encode('next'));
    return;
  }
  if (!renderer.setFrame(message)) return;
  frames++;
  isDirty = true;
  if (viewedScene !== key) {
    const isFirst = viewedScene === null;
    viewedScene = key;
    camera.isFlat = state?.dimensions === 2;
    startFollowing();
    lookAtAll(true);
    if (isOutOfView(message)) renderer.positions = null; // it blew up before the first frame
    if (isFirst) document.body.classList.add('ready');
  }
  follow();
  transport.send(encode('next'));
}

let lastTick = performance.now(); // ms
/** Runs once per frame of the browser. */
function tick(now) {
  const seconds = Math.min(0.1, (now - lastTick) / 1000);
  // With the quality, the size of the shadow map changes, so the shadow must be drawn again.
  if (nextFrame && quality.recordFrame(now - lastTick)) renderer.hasMoved = true;
  lastTick = now;
  const pixelRatio = Math.min(devicePixelRatio, quality.now.maxPixelRatio);
  if (renderer.resize(pixelRatio)) {
    updateCoveredArea(true);
    isDirty = true;
  }
  if (nextFrame) takeFrame();
  if (camera.advance(seconds)) isDirty = true;
  pointerInput.flush();
  if (isDirty) {
    isDirty = false;
    camera.setPixels(canvas.height);
    renderer.draw({ camera, extent, options, isDark: dark.matches, pixelRatio, quality: quality.now });
  }
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);

canvas.addEventListener('webglcontextlost', () => {
  messages.setBanner('picture', 'The graphics context was lost. Reload the page.', 'bad');
});

// The interface for tests (apps/view/web-tests).

window.taut = Object.freeze({
  get state() { return state; },
  get figures() { return figures.last ?? null; },
  get isConnected() { return isConnected; },
  get frames() { return frames; },
  get step() { return renderer.step; },
  get epoch() { return renderer.mesh?.epoch ?? null; },
  /** The particles that this page holds. */
  get held() { return pointerInput.held; },
  /** The position of a particle, m. */
  position: (id) => renderer.position(id),
  /** The position of a particle on the page, pixels. */
  project(id) {
    const point = renderer.position(id);
    const pixels = point && pointerInput.toPixels(point);
    const box = canvas.getBoundingClientRect();
    return pixels && [pixels[0] + box.left, pixels[1] + box.top];
  },
});
