// The functions that package.test.mjs calls in the page.
import { load } from "./load.js";
import { fallingSheet, hashOf } from "./scenes.js";

const { taut, memory, expectedRows } = await load();

/** The rows of bindings/hashes.txt, each with the hash that the page computes on its own thread. */
export const hashes = () => expectedRows.map((row) => ({ ...row, found: hashOf(taut, row.scene) }));

/** Makes the memory of the module grow. Reports whether an array that was filled before the growth keeps its numbers,
 * and whether another one can be filled after it. */
export function fillAroundGrowth() {
  const world = fallingSheet(taut);
  const positions = new Float32Array(3 * world.vertices);
  const start = world.positions();
  const copy = [...start];
  const buffer = memory.buffer;
  const before = buffer.byteLength;
  const others = []; // worlds that take memory until it has grown
  while (memory.buffer.byteLength === before) others.push(taut.World.fromLibrary("drape", 96));
  const kept = start.length === copy.length && start.every((x, i) => x === copy[i]);
  world.step(30);
  const same = world.positions(positions) === positions;
  const fresh = world.positions();
  const result = {
    grown: memory.buffer.byteLength - before,
    detached: buffer.byteLength === 0,
    kept,
    same,
    equal: positions.every((x, i) => x === fresh[i]),
    lowest: Math.min(...positions),
  };
  [world, ...others].forEach((world) => world.free());
  return result;
}

/** Starts a worker, sends it a request, and returns its answer. See worker.js for the requests. */
export function inWorker(request, transfer = []) {
  const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(request, transfer);
  }).finally(() => worker.terminate());
}

/** Transfers an array of this page to a worker, which fills it and transfers it back. */
export async function fillInWorker() {
  const world = fallingSheet(taut);
  world.step(30);
  const expected = world.positions();
  world.free();
  const array = new Float32Array(expected.length);
  const filled = await inWorker({ target: array, steps: 30 }, [array.buffer]);
  // A transferred array has the length 0.
  return { given: array.length, filled: filled.length, equal: filled.every((x, i) => x === expected[i]) };
}

globalThis.tests = { hashes, fillAroundGrowth, inWorker, fillInWorker };
