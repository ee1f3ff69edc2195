// A module worker with two requests. `{}`: it returns the rows of bindings/hashes.txt, with the hashes that it
// computes. `{ target, steps }`: it fills the transferred array `target` with the positions of the falling sheet
// after some steps, and transfers it back.

// A request that arrives while the package loads waits for it.
const loaded = import("./load.js").then(({ load }) => load());

async function answer({ target, steps }) {
  const { taut, expectedRows } = await loaded;
  const { fallingSheet, hashOf } = await import("./scenes.js");
  if (!target) return postMessage(expectedRows.map((row) => ({ ...row, found: hashOf(taut, row.scene) })));
  const world = fallingSheet(taut);
  world.step(steps);
  postMessage(world.positions(target), [target.buffer]);
}

// A rejected promise alone would not reach `worker.onerror` of the page.
onmessage = ({ data }) => answer(data).catch(reportError);
