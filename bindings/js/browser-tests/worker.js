// Computes the hashes of the scenes in bindings/hashes.txt in a module worker, or fills a transferred
// array with positions and transfers it back.

// Messages that arrive while the package loads wait for it.
const loaded = import("./load.js").then(({ load }) => load());

onmessage = async ({ data: { target, steps } }) => {
  const { taut, table } = await loaded;
  const { fallingSheet, hashOf } = await import("./scenes.js");
  if (!target) return postMessage(table.map((row) => ({ ...row, found: hashOf(taut, row.scene) })));
  const world = fallingSheet(taut);
  world.step(steps);
  postMessage(world.positions(target), [target.buffer]);
};
