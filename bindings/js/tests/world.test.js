// Worlds from JavaScript: the same hashes as in Rust, arrays, errors, snapshots and copies.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import init, { Cloth, World, scenes } from "taut";

await init();

function fallingSheet(cloth, copies) {
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
    world.pin(289 * copy);
    world.pin(289 * copy + side - 1);
  }
  return world;
}

function tornFlag() {
  const world = World.fromLibrary("flag", 24);
  world.setWind(6, 0, 2);
  world.step(90);
  assert.ok(world.cut(new Float32Array([-0.3, 0.1, -5, -0.3, 0.1, 5, -0.3, 5, -5, -0.3, 5, 5])) > 0);
  world.step(60);
  return world;
}

const examples = {
  "falling-sheet": () => {
    const world = fallingSheet();
    world.step(120);
    return world;
  },
  "torn-flag": tornFlag,
};

const table = readFileSync(new URL("../../hashes.txt", import.meta.url), "utf8");
for (const line of table.split("\n").filter((line) => line && !line.startsWith("#"))) {
  test(`the hash is that of Rust: ${line}`, () => {
    const [kind, name, ...rest] = line.split(" ");
    let world;
    if (kind === "library") {
      world = World.fromLibrary(name, Number(rest[0]));
      assert.ok(world.step(Number(rest[1])).finite);
    } else {
      world = examples[name]();
    }
    assert.equal(world.hash().toString(16).padStart(16, "0"), rest.at(-1));
    world.free();
  });
}

test("arrays of the caller are filled, also after the memory has grown", () => {
  const world = fallingSheet();
  const positions = world.positions();
  assert.equal(positions.length, 3 * 289);
  const others = Array.from({ length: 40 }, () => World.fromLibrary("drape", 96));
  world.step();
  assert.equal(world.positions(positions), positions);
  assert.ok(Math.min(...positions) < 0);
  assert.equal(world.triangles().length, 3 * 512);
  for (let i = 0, normals = world.normals(); i < normals.length; i += 3) {
    assert.ok(Math.abs(Math.hypot(...normals.subarray(i, i + 3)) - 1) < 1e-5);
  }
  assert.throws(() => world.positions(new Float32Array(3)), /the length of out is 3, expected 867/);
  others.forEach((other) => other.free());
});

test("errors name the place and change nothing", () => {
  assert.throws(() => World.fromToml("[step]\nsubstep = 4"), /^Error: line 2: unknown field `substep`/);
  assert.throws(() => World.fromLibrary("x"), /curtain/);
  assert.throws(() => World.fromMesh(new Float32Array(4), new Uint32Array(3)), /vertices is 4/);
  const world = World.fromToml('[[model]]\nname = "sheet"\ndrape = { size = 16 }\n');
  assert.deepEqual([...world.model("sheet")], [0, 256]);
  const hash = world.hash();
  assert.throws(() => world.pin(256), /256/);
  assert.throws(() => world.group("sheet", "x"), /no group 'x'/);
  const settings = world.settings();
  settings.substeps = 0;
  assert.throws(() => world.setSettings(settings));
  assert.equal(world.hash(), hash);
  assert.ok(scenes().includes("ragdolls-3d"));
});

test("a grabbed particle follows a drag; settings are changed", () => {
  const world = fallingSheet();
  const settings = world.settings();
  settings.gravityY = -1.62;
  world.setSettings(settings);
  assert.ok(Math.abs(world.settings().gravityY + 1.62) < 1e-6);
  const particle = world.nearestToRay(new Float32Array([1, 5, 1, 0, -1, 0]), 0.01);
  assert.equal(particle, 288);
  world.grab(particle);
  world.drag(particle, 1, 0.5, 1);
  world.step();
  assert.deepEqual([...world.position(particle)], [1, 0.5, 1]);
  world.release(particle);
  assert.ok(world.step(5).finite);
});

test("a snapshot continues with the same bits", () => {
  const world = tornFlag();
  const snapshot = world.snapshot();
  world.step(30);
  const hash = world.hash();
  world.restore(snapshot);
  world.step(30);
  assert.equal(world.hash(), hash);
  assert.throws(() => world.restore(new Uint8Array([123, 125])), /not a snapshot/);
});

test("copies have the bits of one", () => {
  const cloth = new Cloth();
  cloth.density = 0.3;
  const one = fallingSheet(cloth);
  const again = new Cloth();
  again.density = 0.3;
  const many = fallingSheet(again, 20);
  one.step(30);
  many.step(30);
  const [expected, found] = [one.positions(), many.positions()];
  for (let i = 0; i < found.length; i++) assert.equal(found[i], expected[i % expected.length]);
  assert.throws(() => World.fromLibrary("ragdolls-3d", 1, 4), /copies of a model with/);
});
