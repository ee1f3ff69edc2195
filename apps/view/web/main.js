// Main module: passes messages of the host to the picture and the panel, and input to the host.
// Requests a frame each time that one was drawn.

import { Camera } from './camera.js';
import { add, scale, subtract } from './draw/math.js';
import { boxOfBoth } from './draw/mesh.js';
import { Stage } from './draw/stage.js';
import { Figures } from './figures.js';
import { Hands } from './hands.js';
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
let newest = null; // the last received frame, until it is drawn
let isDirty = true;
let isConnected = false;
let framed = null; // key of the scene for which the camera was set up
let reached = null; // bounding box of all positions since then
let settled = null; // bounding box after the opening, if it is far smaller
let hasSettled = false;
let frame = { centre: [0, 0, 0], half: [1, 1, 1], radius: 1, floor: -1 };
let frames = 0;

/** Sends a command; shows a message if the host is not connected. */
function send(what, fields) {
  if (!transport?.send(encode(what, fields))) messages.say('Not connected to the simulation.');
}

function makeStage() {
  try {
    return new Stage(canvas, quality.isSoftware);
  } catch (error) {
    messages.hold('picture', `No picture: ${error.message}.`, 'bad');
    throw error;
  }
}
const stage = makeStage();
const hands = new Hands({ canvas, overlay: new Overlay($('#overlay')), stage, camera, send });
const panel = new Panel($('#panel'), send, (text) => messages.say(text));
for (const it of document.querySelectorAll('#panel [data-figure]')) figures.fields[it.dataset.figure] = it;

// The host.

const transport = (document.documentElement.dataset.host === 'worker' ? connectWorker : connectSocket)({
  open() {
    isConnected = true;
    messages.hold('connection', '');
  },
  closed(why) {
    isConnected = false;
    newest = null;
    hands.drop();
    messages.hold('connection', why, 'bad');
  },
  text(text) {
    const message = decodeText(text);
    if (message.say === 'state') takeState(message);
    else if (message.say === 'figures') takeFigures(message);
    else if (message.say === 'error') messages.say(message.text);
  },
  binary(buffer) {
    const message = decodeBinary(buffer);
    switch (message.kind) {
      case 'mesh':
        newest = null;
        stage.setMesh(message.mesh, message.epoch);
        break;
      case 'indices':
        if (message.epoch !== stage.mesh?.epoch) return;
        stage.setIndices(message);
        transport.send(encode('next'));
        break;
      case 'rests':
        if (message.epoch === stage.mesh?.epoch) stage.setRests(message.rests);
        break;
      case 'removed':
        if (message.epoch === stage.mesh?.epoch && stage.isReady) stage.remove(message);
        break;
      default:
        newest = message;
    }
    isDirty = true;
  },
});

function takeState(it) {
  const isOther = state?.scene !== it.scene;
  // A reset keeps held particles; another scene releases them.
  if (isOther || state.size !== it.size) hands.drop();
  state = it;
  if (isOther) figures.clear();
  document.title = `${it.scene} – Taut`;
  $('#about').textContent = it.scenes.find(({ name }) => name === it.scene)?.about ?? '';
  panel.show(it);
  figures.showState(it);
  showTools();
  fit(isOther);
  isDirty = true;
}

function takeFigures(it) {
  figures.show(it);
  fit(false); // the first figures of a race show its bar
  messages.hold('blown', it.blown ? 'The simulation blew up: the steps are too large for this schedule and formula. Change them, and press R to restart.' : '', 'bad');
}

// Keys and buttons.

const actions = {
  R: () => send('reset'),
  P: () => send('pause', { on: !state?.paused }),
  S: () => send('step'),
  G: () => send('gravity', { on: !state?.gravity }),
  W: () => send('wind', { on: !state?.wind }),
  T: () => send('tethers', { on: !state?.tethers }),
  F: () => {
    reached = stage.reach();
    lookAtAll(false);
  },
};

function showTools() {
  const pressed = { P: state?.paused, G: state?.gravity, W: state?.wind, T: state?.tethers, C: hands.isCutting() };
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
    if (key === 'C') hands.setCutMode(!hands.cutMode);
    else actions[key]();
    showTools();
  };
}

const isTyping = (event) => event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('select, textarea');

addEventListener('keydown', (event) => {
  if (isTyping(event)) return;
  const key = event.key.toUpperCase();
  if (key === 'C' && !event.repeat) hands.setCutKey(true);
  if (actions[key] && (!event.repeat || key === 'S')) actions[key]();
  showTools();
});
addEventListener('keyup', (event) => {
  if (event.key.toUpperCase() !== 'C') return;
  hands.setCutKey(false);
  showTools();
});
addEventListener('blur', () => hands.setCutKey(false));

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

/** Radius of the ball around a box. */
const radiusOf = ([min, max]) => Math.hypot(...subtract(max, min)) / 2;

/** Measures the box, radius and floor of the scene: its positions so far and its obstacles. */
function measure() {
  const opening = stage.box(state?.bounds);
  if (!opening) return;
  const [least, greatest] = settled ? stage.box(settled) : opening;
  const size = radiusOf([least, greatest]);
  // Ignore particles that fly away.
  const near = reached && [
    reached[0].map((x, axis) => Math.max(x, least[axis] - size)),
    reached[1].map((x, axis) => Math.min(x, greatest[axis] + size)),
  ];
  const [min, max] = near ? boxOfBoth([least, greatest], near) : [least, greatest];
  const half = scale(subtract(max, min), 0.5).map((x) => Math.max(x, 1e-3));
  const centre = scale(add(min, max), 0.5);
  // The drawn floor of scenes without one: plants stand on it, other models hang above it.
  const below = stage.mesh.parts.some(({ look }) => look === 'plant') ? 0.01 : 0.3;
  const floor = opening[0][1] - below * radiusOf(opening);
  frame = { centre, half, radius: Math.hypot(...half), floor };
}

function lookAtAll(atOnce) {
  measure();
  camera.frame(frame, atOnce);
  isDirty = true;
}

/** Tells the camera which part of the picture is not covered. */
function fit(atOnce) {
  const { top, bottom } = canvas.getBoundingClientRect();
  const above = Math.max(...['header', '#race'].map((it) => $(it).getBoundingClientRect().bottom - top));
  const below = bottom - $('#tools').getBoundingClientRect().top;
  if (!camera.resize(canvas.clientWidth, canvas.clientHeight, [above, below])) return;
  if (framed && !camera.isMoved) lookAtAll(atOnce);
  isDirty = true;
}

/** The camera moves nearer if the settled scene is smaller than this share of its radius. */
const SMALL = 0.7;

/** Starts to follow a new scene. */
function begin() {
  [reached, settled, hasSettled] = [stage.reach(), null, false];
}

/** Moves the camera back if the scene spreads, and nearer when it has settled, unless the user moved it. */
function follow() {
  const isOver = stage.step > OPENING;
  if ((isOver && hasSettled) || camera.isMoved || hands.held.length) return;
  const now = stage.reach();
  if (!now) return;
  if (isOver) {
    hasSettled = true;
    if (radiusOf(stage.box(now)) < SMALL * frame.radius) {
      reached = settled = now;
      lookAtAll(false);
    }
    return;
  }
  if (hasSettled) begin(); // the scene was restarted
  reached = reached ? boxOfBoth(reached, now) : now;
  lookAtAll(false);
}

/** Curtain and drape have fewer than three layers; when they blow up, thousands within a few steps. */
const MOST_LAYERS = 40;

/**
 * Whether most of the scene is out of sight or larger than the picture, as in a blow-up: drawing it
 * would be slow and show nothing.
 */
function isGone({ epoch, positions }) {
  if (!stage.isReady || epoch !== stage.mesh.epoch) return false; // the frame is dropped
  if (stage.mesh.layers(positions, frame) > MOST_LAYERS) return true;
  const { particles } = stage.mesh;
  const each = Math.ceil(particles / 500);
  let [seen, gone] = [0, 0];
  for (let i = 0; i < 3 * particles; i += 3 * each) {
    const away = Math.hypot(...subtract(positions.subarray(i, i + 3), frame.centre));
    seen++;
    if (away > 10 * frame.radius) gone++;
  }
  return gone > seen / 2;
}

function takeFrame() {
  const message = newest;
  newest = null;
  const key = `${state?.scene} ${state?.size} ${state?.dimensions}`;
  if (framed === key && isGone(message)) {
    transport.send(encode('next'));
    return;
  }
  if (!stage.setFrame(message)) return;
  frames++;
  isDirty = true;
  if (framed !== key) {
    const isFirst = framed === null;
    framed = key;
    camera.isFlat = state?.dimensions === 2;
    begin();
    lookAtAll(true);
    if (isGone(message)) stage.positions = null; // it blew up before the first frame
    if (isFirst) document.body.classList.add('ready');
  }
  follow();
  transport.send(encode('next'));
}

let before = performance.now();
function tick(now) {
  const seconds = Math.min(0.1, (now - before) / 1000);
  if (newest && quality.note(now - before)) stage.hasMoved = true;
  before = now;
  const pixelRatio = Math.min(devicePixelRatio, quality.now.mostPixelRatio);
  if (stage.resize(pixelRatio)) {
    fit(true);
    isDirty = true;
  }
  if (newest) takeFrame();
  if (camera.advance(seconds)) isDirty = true;
  hands.flush();
  if (isDirty) {
    isDirty = false;
    camera.setPixels(canvas.height);
    stage.draw({ camera, frame, options, isDark: dark.matches, pixelRatio, quality: quality.now });
  }
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);

canvas.addEventListener('webglcontextlost', () => {
  messages.hold('picture', 'The graphics context was lost. Reload the page.', 'bad');
});

// Interface for tests.

window.taut = Object.freeze({
  get state() { return state; },
  get figures() { return figures.last ?? null; },
  get isConnected() { return isConnected; },
  get frames() { return frames; },
  get step() { return stage.step; },
  get epoch() { return stage.mesh?.epoch ?? null; },
  /** The particles that are held by this page. */
  get held() { return hands.held; },
  /** Where a particle is, m. */
  position: (id) => stage.position(id),
  /** Where a particle is seen, in pixels of the page. */
  project(id) {
    const point = stage.position(id);
    const seen = point && hands.toPixels(point);
    const box = canvas.getBoundingClientRect();
    return seen && [seen[0] + box.left, seen[1] + box.top];
  },
});
