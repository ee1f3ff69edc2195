// Measures the processor time of `taut view`, and the frames per second that reach a page. It works on Linux
// only, because it reads the time of each thread from /proc. Build first, and run nothing else meanwhile:
//
//   cargo build --release && (cd apps/view/web-tests && npm ci)
//   node --experimental-websocket apps/view/web-tests/cost.mjs [--page] [SCENE SIZE ...]
//
// The frames per second are the median of samples of one second, because a shared machine sometimes delays
// a thread by some hundredths of a second.
//
// Without --page, this script receives the frames and discards them. With --page, a browser with software
// rendering draws them. The default scenes are those of docs/program.md.

import { readdir, readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { startTaut } from './servers.mjs';

if (!globalThis.WebSocket) {
  console.error('This version of node needs an option: node --experimental-websocket cost.mjs');
  process.exit(1);
}

const SECONDS = 8; // duration of a measurement
const TICKS_PER_SECOND = 100; // unit of the times in /proc
const FRAME = 4; // kind of the binary messages with frames: see apps/view/web/protocol.js
const sceneArguments = process.argv.slice(2).filter((argument) => argument !== '--page');
const withPage = process.argv.includes('--page');
const scenes = sceneArguments.length ? sceneArguments : ['curtain', '64', 'drape', '64', 'drape', '317'];

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

/** The processor time of a process so far, s: of the simulation thread, and of all other threads. */
async function processorTime(pid) {
  const sums = { simulation: 0, others: 0 };
  for (const task of await readdir(`/proc/${pid}/task`)) {
    const line = await readFile(`/proc/${pid}/task/${task}/stat`, 'utf8');
    const name = line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'));
    const [user, system] = line.slice(line.lastIndexOf(')') + 2).split(' ').slice(11, 13).map(Number);
    sums[name === 'simulation' ? 'simulation' : 'others'] += (user + system) / TICKS_PER_SECOND;
  }
  return sums;
}

/**
 * Connects to the host. Counts the frames that arrive, and keeps the size of the last one and the last `figures`
 * message. If `wantsFrames`, requests the next frame when one arrives.
 */
async function watch(url, wantsFrames) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/socket`);
  socket.binaryType = 'arraybuffer';
  const received = { frames: 0, bytes: 0, figures: null, socket };
  const next = () => wantsFrames && socket.send('{"do":"next"}');
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') {
      const message = JSON.parse(data);
      if (message.say === 'figures') received.figures = message;
    } else if (new Uint32Array(data, 0, 1)[0] === FRAME) {
      received.frames++;
      received.bytes = data.byteLength;
      next();
    }
  };
  await new Promise((open, failed) => Object.assign(socket, { onopen: open, onerror: failed }));
  next();
  return received;
}

/** Opens the page in a browser. */
async function openInBrowser(url) {
  const { openBrowser, openPage } = await import('./browser.mjs');
  const browser = await openBrowser();
  const { page } = await openPage(browser, url);
  return { browser, page };
}

/**
 * Measures `taut view`. If `wantsFrames`, frames are requested: with --page by a page in a browser, else by this
 * script, which is connected in both cases.
 */
async function measure(scene, size, wantsFrames) {
  const server = await startTaut(scene, '--size', size);
  const opened = withPage && wantsFrames ? await openInBrowser(server.url) : null;
  const received = await watch(server.url, wantsFrames && !opened);
  const drawn = () => (opened ? opened.page.evaluate(() => taut.frames) : received.frames);
  await sleep(2); // the start is not measured
  const sample = async () => ({ time: performance.now() / 1000, frames: await drawn(), steps: received.figures.steps });
  const before = await processorTime(server.pid);
  const samples = [await sample()];
  for (let second = 0; second < SECONDS; second++) {
    await sleep(1);
    samples.push(await sample());
  }
  const after = await processorTime(server.pid);
  const seconds = samples.at(-1).time - samples[0].time;
  const result = {
    simulation: (after.simulation - before.simulation) / seconds,
    others: (after.others - before.others) / seconds,
    frames: median(samples.slice(1).map((sample, k) => (sample.frames - samples[k].frames) / (sample.time - samples[k].time))),
    steps: (samples.at(-1).steps - samples[0].steps) / seconds, // the host reports steps ten times per second
    milliseconds: received.figures.milliseconds,
    bytes: received.bytes,
  };
  received.socket.close();
  await opened?.browser.close();
  await server.kill();
  return result;
}

const percent = (fraction) => `${(100 * fraction).toFixed(1)} %`;
console.log('scene | size | frames are | steps/s | ms per step | simulation thread | other threads | frames/s | MB per frame | ms to make a frame');
for (let i = 0; i + 1 < scenes.length; i += 2) {
  const [scene, size] = scenes.slice(i, i + 2);
  const withoutFrames = await measure(scene, size, false);
  const withFrames = await measure(scene, size, true);
  const printLine = (name, result, frameTime) => console.log([
    scene, size, name, result.steps.toFixed(1), result.milliseconds.toFixed(2), percent(result.simulation), percent(result.others),
    result.frames.toFixed(1), (result.bytes / 1e6).toFixed(2), frameTime,
  ].join(' | '));
  printLine('not requested', withoutFrames, '');
  printLine(withPage ? 'drawn' : 'discarded', withFrames, (1000 * (withFrames.simulation - withoutFrames.simulation) / withFrames.frames).toFixed(2));
}
