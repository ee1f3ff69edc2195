// Worlds from JavaScript: the same hashes as in Rust, arrays, errors, snapshots and copies.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import * as taut from "taut";
import * as tableScenes from "./scenes.js";

const { default: init, Cloth, World, scenes } = taut;

await init();

const fallingSheet = (...options) => tableScenes.fallingSheet(taut, ...options);
const tornFlag = () => tableScenes.tornFlag(taut);

const table = readFileSync(new URL("../../hashes.txt", import.meta.url), "utf8");
for (const { scene, expected } of tableScenes.rows(table)) {
  test(`the hash is that of hashes.txt: ${scene}`, () => assert.equal(tableScenes.hashOf(taut, scene), expected));
}

test("arrays of the caller are filled, also after the memory has grown", () => {
  const world = fallingSheet(); // 17 x 17 = 289 particles
  const positions = world.positions();
  assert.equal(positions.length, 3 * 289);
  // 40 x 96 x 96 particles: enough to make the memory of the module grow.
  const others = Array.from({ length: 40 }, () => World.fromLibrary("drape", 96));
  world.step();
  assert.equal(world.positions(positions), positions);
  assert.ok(Math.min(...positions) < 0);
  assert.equal(world.triangles().length, 3 * (2 * 16 * 16));
  const normals = world.normals();
  const interleaved = world.interleaved();
  assert.equal(interleaved.length, 6 * 289);
  for (let i = 0; i < normals.length; i += 3) {
    assert.ok(Math.abs(Math.hypot(...normals.subarray(i, i + 3)) - 1) < 1e-5);
    assert.deepEqual(interleaved.subarray(2 * i, 2 * i + 3), positions.subarray(i, i + 3));
    assert.deepEqual(interleaved.subarray(2 * i + 3, 2 * i + 6), normals.subarray(i, i + 3));
  }
  assert.throws(() => world.positions(new Array(3 * 289)), /out is not a Float32Array/);
  assert.throws(() => world.positions(new Float32Array(3)), /the length of out is 3, expected 867/);
  others.forEach((other) => other.free());
});

test("errors name the line, name or number that is wrong, and change nothing", () => {
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
});

test("the names of the library scenes are listed", () => assert.ok(scenes().includes("ragdolls-3d")));

test("a Cloth may be passed to several calls", () => {
  const cloth = new Cloth();
  cloth.tethered = false;
  const hashes = [cloth, cloth, undefined].map((each) => {
    const world = fallingSheet(each);
    world.step(30);
    return world.hash();
  });
  assert.ok(hashes[0] === hashes[1] && hashes[0] !== hashes[2], `${hashes}`);
  assert.equal(cloth.tethered, false);
  const invalid = [20, {}, { density: "0.2", resistsBending: true, tethered: true }];
  for (const each of invalid) assert.throws(() => fallingSheet(each), /cloth\.\w+ is missing or has a wrong type/);
  cloth.free();
  assert.throws(() => fallingSheet(cloth), /expected a Cloth that is not freed/);
});

test("counts and indices that are not integers in range are errors", () => {
  const world = fallingSheet();
  const hash = world.hash();
  const setSettings = (changes) => world.setSettings(Object.assign(world.settings(), changes));
  const required = {
    particle: [
      (number) => world.position(number),
      (number) => world.setPosition(number, 0, 0, 0),
      (number) => world.setVelocity(number, 0, 0, 0),
      (number) => world.setInverseMass(number, 1),
      (number) => world.pin(number),
      (number) => world.unpin(number),
      (number) => world.grab(number),
      (number) => world.drag(number, 0, 0, 0),
      (number) => world.release(number),
    ],
    substeps: [(substeps) => setSettings({ substeps })],
    passes: [(passes) => setSettings({ passes })],
    iterations: [(iterations) => setSettings({ iterations })],
  };
  const optional = {
    count: [(number) => world.step(number)],
    size: [(number) => World.fromLibrary("drape", number)],
    copies: [
      (number) => World.fromLibrary("drape", 8, number),
      (number) => World.fromToml('[[model]]\nname = "sheet"\ndrape = { size = 8 }\n', number),
      (number) => fallingSheet(undefined, number),
    ],
  };
  const expected = "expected an integer from 0 to 4294967295";
  const check = (calls, numbers) => {
    for (const [name, each] of Object.entries(calls)) {
      for (const call of each) {
        for (const [number, found] of numbers) {
          assert.throws(() => call(number), { message: `${name} is ${found}, ${expected}` });
        }
      }
    }
  };
  const invalid = [[NaN, "NaN"], [-1, "-1"], [1.5, "1.5"], [2 ** 32, "4294967296"], ["1", "of type string"]];
  check({ ...required, ...optional }, invalid);
  check(required, [[undefined, "of type undefined"], [null, "of type object"]]);
  assert.equal(world.hash(), hash);
  assert.equal(world.settings().substeps, 8);
  assert.throws(() => world.pin(4294967295), /4294967295/);
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

test("a snapshot includes the tear factor", () => {
  const [world, restored] = [16, 16].map((size) => World.fromLibrary("drape", size));
  world.setTearFactor(1.5);
  restored.restore(world.snapshot());
  const torn = [world, restored].map((each) => {
    each.grab(255); // a corner, which is dragged far away
    each.drag(255, 3, -3, 0);
    return each.step().torn;
  });
  assert.ok(torn[0] > 0 && torn[0] === torn[1], `${torn}`);
});

test("each copy has the bits of the scene alone", () => {
  const cloth = new Cloth();
  cloth.density = 0.3;
  cloth.tethered = false; // the copies of a sheet with tethers are not relaxed together
  const one = fallingSheet(cloth);
  const many = fallingSheet(cloth, 20);
  one.step(30);
  many.step(30);
  const [expected, found] = [one.positions(), many.positions()];
  for (let i = 0; i < found.length; i++) assert.equal(found[i], expected[i % expected.length]);
  assert.throws(() => World.fromLibrary("ragdolls-3d", 1, 4), /copies would collide/);
});
