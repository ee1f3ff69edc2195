// Main module: passes messages from the host to the picture and the panel, and input to the host.
// Requests the next frame each time that it draws one.

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
const options = { surface: true, sticks: false, stretch: false, particles: false };

let state = null;
let nextFrame = null; // the newest received frame that was not drawn
let isDirty = true; // whether the picture must be drawn again
let isConnected = false;
let viewedScene = null; // key of the scene that the camera was set up for
let reached = null; // bounding box of all positions of that scene so far
let settled = null; // bounding box after the opening, if the scene is then far smaller
let hasSettled = false; // whether the opening of that scene is over
// Box of the scene (half: half extents), its radius, and the height of the floor, m.
let extent = { centre: [0, 0, 0], half: [1, 1, 1], radius: 1, floor: -1 };
let frames = 0; // received frames that were drawn

/** Sends a command. Shows a message if the host is not connected. */
function send(command, fields) {
  if (!transport?.send(encode(command, fields))) messages.showToast('Not connected to the simulation.');
}

function makeRenderer() {
  try {
    return new Renderer(canvas, quality.isSoftware);
  } catch (error) {
    messages.setBanner('picture', `Cannot draw: ${error.message}.`, 'bad');
    throw error;
  }
}
const renderer = makeRenderer();
const pointerInput = new PointerInput({ canvas, overlay: new Overlay($('#overlay')), renderer, camera, send });
const panel = new Panel($('#panel'), send, (text) => messages.showToast(text));
for (const field of document.querySelectorAll('#panel [data-figure]')) figures.fields[field.dataset.figure] = field;

// Connection to the host.

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
    else if (message.say === 'error') messages.showToast(message.text);
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

function takeState(newState) {
  const isOtherScene = state?.scene !== newState.scene;
  // A reset keeps held particles; another scene releases them.
  if (isOtherScene || state.size !== newState.size) pointerInput.releaseAll();
  state = newState;
  if (isOtherScene) figures.clear();
  document.title = `${state.scene} – Taut`;
  $('#about').textContent = state.scenes.find(({ name }) => name === state.scene)?.about ?? '';
  panel.show(state);
  figures.showState(state);
  showTools();
  updateCoveredArea(isOtherScene);
  isDirty = true;
}

function takeFigures(newFigures) {
  figures.show(newFigures);
  updateCoveredArea(false); // the first figures of a race show its bars
  messages.setBanner('blown', newFigures.blown ? 'The simulation blew up: it is unstable with this schedule, this formula and these substeps. Change them, then press R to restart.' : '', 'bad');
}

// Keys and buttons.

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

const isTyping = (event) => event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('select, textarea');

addEventListener('keydown', (event) => {
  if (isTyping(event)) return;
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

function showOptions() {
  for (const button of document.querySelectorAll('[data-option]')) {
    button.setAttribute('aria-pressed', String(options[button.dataset.option]));
  }
  isDirty = true;
}
for (const button of document.querySelectorAll('[data-option]')) {
  button.onclick = () => {
    const { option } = button.dataset;
    options[option] = !options[option];
    // Stretch is the colour of sticks, so it needs them.
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

/** Number of steps during which the camera moves back while the scene spreads. */
const OPENING = 300;

/** The radius of the sphere around a box. */
const radiusOf = ([min, max]) => Math.hypot(...subtract(max, min)) / 2;

/** Computes the box, radius and floor of the scene, from its positions so far and its obstacles. */
function updateExtent() {
  const initial = renderer.box(state?.bounds);
  if (!initial) return;
  const [low, high] = settled ? renderer.box(settled) : initial;
  const size = radiusOf([low, high]);
  // Ignore particles that fly away.
  const near = reached && [
    reached[0].map((x, axis) => Math.max(x, low[axis] - size)),
    reached[1].map((x, axis) => Math.min(x, high[axis] + size)),
  ];
  const [min, max] = near ? boxOfBoth([low, high], near) : [low, high];
  const half = scale(subtract(max, min), 0.5).map((x) => Math.max(x, 1e-3));
  const centre = scale(add(min, max), 0.5);
  // The floor that is drawn if the scene has none: plants stand on it, other models hang above it.
  // `below`: its distance below the initial box, as a fraction of the radius of that box.
  const below = renderer.mesh.parts.some(({ kind }) => kind === 'plant') ? 0.01 : 0.3;
  const floor = initial[0][1] - below * radiusOf(initial);
  extent = { centre, half, radius: Math.hypot(...half), floor };
}

/** Moves the camera so that the whole scene is visible. */
function lookAtAll(atOnce) {
  updateExtent();
  camera.lookAt(extent, atOnce);
  isDirty = true;
}

/** Tells the camera which part of the picture the overlays cover. */
function updateCoveredArea(atOnce) {
  const { top, bottom } = canvas.getBoundingClientRect();
  const above = Math.max(...['header', '#race'].map((selector) => $(selector).getBoundingClientRect().bottom - top));
  const below = bottom - $('#tools').getBoundingClientRect().top;
  if (!camera.resize(canvas.clientWidth, canvas.clientHeight, [above, below])) return;
  if (viewedScene && !camera.isMovedByUser) lookAtAll(atOnce);
  isDirty = true;
}

/** The camera moves nearer if the radius of the settled scene is below this fraction of the radius before. */
const SETTLED_SIZE_MAX = 0.7;

/** Starts to follow a new scene. */
function startFollowing() {
  [reached, settled, hasSettled] = [renderer.particleBox(), null, false];
}

/** Unless the user moved the camera: moves it back if the scene spreads, and nearer once it has settled. */
function follow() {
  const isOver = renderer.step > OPENING;
  if ((isOver && hasSettled) || camera.isMovedByUser || pointerInput.held.length) return;
  const now = renderer.particleBox();
  if (!now) return;
  if (isOver) {
    hasSettled = true;
    if (radiusOf(renderer.box(now)) < SETTLED_SIZE_MAX * extent.radius) {
      reached = settled = now;
      lookAtAll(false);
    }
    return;
  }
  if (hasSettled) startFollowing(); // the scene was restarted
  reached = reached ? boxOfBoth(reached, now) : now;
  lookAtAll(false);
}

/**
 * Frames with more layers of faces (`Mesh.layers`) are not drawn. Curtain and drape have fewer than three;
 * after a blow-up they soon have thousands.
 */
const LAYERS_MAX = 40;

/**
 * Whether most of the scene is out of view or larger than the picture, as after a blow-up. Drawing it
 * would be slow and show nothing.
 */
function isOutOfView({ epoch, positions }) {
  if (!renderer.isReady || epoch !== renderer.mesh.epoch) return false; // the frame is dropped
  if (renderer.mesh.layers(positions, extent) > LAYERS_MAX) return true;
  const { particles } = renderer.mesh;
  const stride = Math.ceil(particles / 500);
  let [sampled, outside] = [0, 0];
  for (let i = 0; i < 3 * particles; i += 3 * stride) {
    const distance = Math.hypot(...subtract(positions.subarray(i, i + 3), extent.centre));
    sampled++;
    if (distance > 10 * extent.radius) outside++;
  }
  return outside > sampled / 2;
}

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

let lastTick = performance.now();
function tick(now) {
  const seconds = Math.min(0.1, (now - lastTick) / 1000);
  if (nextFrame && quality.recordFrame(now - lastTick)) renderer.hasMoved = true; // redraws the shadow
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

// Interface for tests.

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
