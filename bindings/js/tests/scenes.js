// The scenes of bindings/hashes.txt, for node, pages and workers. The module `taut` is an argument of the
// functions, because node imports it by name, and pages and workers by URL.

/** A sheet of 17 by 17 vertices, 1 m wide, pinned at two corners; or copies of it. */
export function fallingSheet({ World }, cloth, copies) {
  const side = 17;
  const vertices = [];
  const triangles = [];
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      vertices.push(0.0625 * column, 0, 0.0625 * row);
      if (row + 1 < side && column + 1 < side) {
        const a = side * row + column;
        triangles.push(a, a + side, a + 1, a + 1, a + side, a + side + 1);
      }
    }
  }
  const world = World.fromMesh(new Float32Array(vertices), new Uint32Array(triangles), cloth, copies);
  for (let copy = 0; copy < (copies ?? 1); copy++) {
    const first = side * side * copy; // the first particle of the copy
    world.pin(first);
    world.pin(first + side - 1);
  }
  return world;
}

/** A flag that is cut after 90 steps in the wind, and simulated for 60 more. */
export function tornFlag({ World }) {
  const world = World.fromLibrary("flag", 24);
  world.setWind(6, 0, 2);
  world.step(90);
  const torn = world.cut(new Float32Array([-0.3, 0.1, -5, -0.3, 0.1, 5, -0.3, 5, -5, -0.3, 5, 5]));
  if (torn === 0) throw new Error("the blade crosses no stick");
  world.step(60);
  return world;
}

const examples = {
  "falling-sheet": (taut) => {
    const world = fallingSheet(taut);
    world.step(120);
    return world;
  },
  "torn-flag": tornFlag,
};

/** Parses the text of bindings/hashes.txt into rows: `scene` is a row without its hash, `expected` is the hash. */
export function rows(text) {
  const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
  return lines.map((line) => {
    const separator = line.lastIndexOf(" ");
    return { scene: line.slice(0, separator), expected: line.slice(separator + 1) };
  });
}

/** Simulates the scene of a row, and returns its hash. */
export function hashOf(taut, scene) {
  const [kind, name, size, steps] = scene.split(" ");
  let world;
  if (kind === "library") {
    world = taut.World.fromLibrary(name, Number(size));
    if (!world.step(Number(steps)).finite) throw new Error(`${scene}: positions are not finite`);
  } else {
    world = examples[name](taut);
  }
  const hash = world.hash().toString(16).padStart(16, "0");
  world.free();
  return hash;
}
