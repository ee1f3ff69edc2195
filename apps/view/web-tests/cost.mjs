// What `taut view` costs the machine, and how many frames a second it brings to a page. Linux only:
// the system says there what each thread took. Build before, and let nothing else run:
//
//   cargo build --release && (cd apps/view/web-tests && npm ci)
//   node --experimental-websocket apps/view/web-tests/cost.mjs [--page] [SCENE SIZE ...]
//
// Frames a second are the median of single seconds: a machine that others share holds a
// thread up for some hundredths of a second now and then, which no program can mend.
//
// With --page scenes are looked at by a browser without a graphics card instead of by a program that
// takes frames and throws them away. Without a scene: those of which docs/program.md says what they cost.

import { readdir, readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { startTaut } from './servers.mjs';

if (!globalThis.WebSocket) {
  console.error('This node keeps WebSocket behind an option: node --experimental-websocket cost.mjs');
  process.exit(1);
}

const SECONDS = 8;
const TICKS = 100; // of the system's clock a second, in /proc
const asked = process.argv.slice(2).filter((it) => it !== '--page');
const withPage = process.argv.includes('--page');
const scenes = asked.length ? asked : ['curtain', '64', 'drape', '64', 'drape', '317'];

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

/** What the threads of a process took so far, s: that of the simulation, and all others. */
async function taken(pid) {
  const sums = { simulation: 0, others: 0 };
  for (const task of await readdir(`/proc/${pid}/task`)) {
    const line = await readFile(`/proc/${pid}/task/${task}/stat`, 'utf8');
    const name = line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'));
    const [user, system] = line.slice(line.lastIndexOf(')') + 2).split(' ').slice(11, 13).map(Number);
    sums[name === 'simulation' ? 'simulation' : 'others'] += (user + system) / TICKS;
  }
  return sums;
}

/** Looks on; asks for each next frame as soon as one is there, if it wants frames at all. */
async function watch(url, wantsFrames) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/socket`);
  socket.binaryType = 'arraybuffer';
  const seen = { frames: 0, bytes: 0, figures: null, socket };
  const next = () => wantsFrames && socket.send('{"do":"next"}');
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') {
      const message = JSON.parse(data);
      if (message.say === 'figures') seen.figures = message;
    } else if (new Uint32Array(data, 0, 1)[0] === 4) {
      seen.frames++;
      seen.bytes = data.byteLength;
      next();
    }
  };
  await new Promise((open, failed) => Object.assign(socket, { onopen: open, onerror: failed }));
  next();
  return seen;
}

/** The same by a browser. */
async function browse(url) {
  const { openBrowser, openPage } = await import('./browser.mjs');
  const browser = await openBrowser();
  const { page } = await openPage(browser, url);
  return { browser, page };
}

async function measure(scene, size, wantsFrames) {
  const server = await startTaut(scene, '--size', size);
  const page = withPage && wantsFrames ? await browse(server.url) : null;
  const seen = await watch(server.url, wantsFrames && !page);
  const drawn = () => (page ? page.page.evaluate(() => taut.frames) : seen.frames);
  await sleep(2);
  const counted = async () => ({ at: performance.now() / 1000, frames: await drawn(), steps: seen.figures.steps });
  const before = await taken(server.pid);
  const counts = [await counted()];
  for (let second = 0; second < SECONDS; second++) {
    await sleep(1);
    counts.push(await counted());
  }
  const after = await taken(server.pid);
  const seconds = counts.at(-1).at - counts[0].at;
  const result = {
    simulation: (after.simulation - before.simulation) / seconds,
    others: (after.others - before.others) / seconds,
    frames: median(counts.slice(1).map((it, k) => (it.frames - counts[k].frames) / (it.at - counts[k].at))),
    steps: (counts.at(-1).steps - counts[0].steps) / seconds, // heard of ten times a second
    milliseconds: seen.figures.milliseconds,
    bytes: seen.bytes,
  };
  seen.socket.close();
  await page?.browser.close();
  await server.kill();
  return result;
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;
console.log('scene | size | frames are | steps/s | ms a step | simulation thread | other threads | frames/s | MB a frame | ms to make a frame');
for (let at = 0; at + 1 < scenes.length; at += 2) {
  const [scene, size] = scenes.slice(at, at + 2);
  const without = await measure(scene, size, false);
  const with_ = await measure(scene, size, true);
  const line = (name, it, frame) => console.log([
    scene, size, name, it.steps.toFixed(1), it.milliseconds.toFixed(2), percent(it.simulation), percent(it.others),
    it.frames.toFixed(1), (it.bytes / 1e6).toFixed(2), frame,
  ].join(' | '));
  line('not wanted', without, '');
  line(withPage ? 'drawn' : 'thrown away', with_, (1000 * (with_.simulation - without.simulation) / with_.frames).toFixed(2));
}
