// Simulates in a module worker: the hashes of the table, or an array that is filled and given back.

// Messages that arrive while the package loads wait for it.
const loaded = import("./load.js").then(({ load }) => load());

onmessage = async ({ data: { fill, steps } }) => {
  const { taut, table } = await loaded;
  const { fallingSheet, hashOf } = await import("./scenes.js");
  if (!fill) return postMessage(table.map((row) => ({ ...row, found: hashOf(taut, row.scene) })));
  const world = fallingSheet(taut);
  world.step(steps);
  postMessage(world.positions(fill), [fill.buffer]);
};
