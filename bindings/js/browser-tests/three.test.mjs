// Tests the three.js example in headless Chromium with software rendering. The server is that of `npm start`.
// THREE_PNG=FILE.png saves pictures: FILE.png, and FILE-cut.png after the cut.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { measurePng, openBrowser, openPage, until } from "../../../apps/view/web-tests/chromium.mjs";

const folder = fileURLToPath(new URL("../examples/three", import.meta.url));
let server;
let browser;
let page;
let errors;

before(async () => {
  // The last argument of the script is the port; 0 instead of it selects any free port.
  const { start } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")).scripts;
  const [program, ...options] = start.split(" ").slice(0, -1);
  assert.equal(program, "node");
  server = spawn(process.execPath, [...options, "0"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => server.kill());
  const [line] = await once(createInterface(server.stdout), "line");
  browser = await openBrowser();
  ({ page, errors } = await openPage(browser, line.match(/http:\S+/)[0]));
  await until(page, () => globalThis.example?.frames > 3);
});

after(async () => {
  await browser?.close();
  server?.kill();
});

const positions = () => page.evaluate(() => [...example.vertices.array]);
const waitForFrames = async (count) => {
  const now = await page.evaluate(() => example.frames);
  await until(page, (target) => example.frames >= target, now + count);
};

/** The position of a particle on the page, in pixels. */
const project = (particle) => page.evaluate((index) => {
  const { camera, world } = example;
  const point = camera.position.clone().fromArray(world.position(index)).project(camera);
  return [((1 + point.x) / 2) * innerWidth, ((1 - point.y) / 2) * innerHeight];
}, particle);

test("the curtain is drawn and moves", async () => {
  const before = await positions();
  await waitForFrames(20);
  const after = await positions();
  assert.ok(after.every(Number.isFinite));
  assert.ok(after.some((x, i) => Math.abs(x - before[i]) > 0.01), "the curtain does not move");
  for (let i = 0; i < after.length; i += 6) {
    assert.ok(Math.abs(Math.hypot(after[i + 3], after[i + 4], after[i + 5]) - 1) < 1e-4, "a normal is not a unit vector");
  }
  const png = await page.screenshot();
  if (process.env.THREE_PNG) writeFileSync(process.env.THREE_PNG, png);
  // The limits exclude a blank picture, which has neither variance nor colour.
  const { variance, coloured } = await measurePng(page, png);
  assert.ok(variance > 400 && coloured > 0.05, `variance ${variance}, coloured ${coloured}`);
  assert.match(await page.textContent("#times"), /^Simulation [\d.]+ ms, frame [\d.]+ ms$/);
});

test("a particle follows the mouse until it is released", async () => {
  // A particle near the middle of the curtain.
  const particle = await page.evaluate(() => Math.floor(0.55 * example.world.particles));
  await page.mouse.move(...await project(particle));
  await page.mouse.down();
  await until(page, () => example.dragged !== null);
  const dragged = await page.evaluate(() => example.dragged);
  const [x, y] = await project(dragged);
  await page.mouse.move(x + 60, y + 20, { steps: 8 });
  await waitForFrames(4);
  const [movedX, movedY] = await project(dragged);
  assert.ok(Math.hypot(movedX - x - 60, movedY - y - 20) < 4, `it moved by ${movedX - x}, ${movedY - y} pixels, expected 60, 20`);
  await page.mouse.up();
  await until(page, () => example.dragged === null);
});

test("the buttons cut and restart", async () => {
  const triangles = () => page.evaluate(() => [example.geometry.drawRange.count, example.world.triangles().length]);
  const all = (await triangles())[1];
  await page.click("#cut");
  await waitForFrames(2);
  const [drawn, left] = await triangles();
  assert.ok(drawn === left && left < all, `${drawn} of ${all} corners are drawn, ${left} are left`);
  await waitForFrames(60);
  if (process.env.THREE_PNG) await page.screenshot({ path: process.env.THREE_PNG.replace(/(\.png)?$/, "-cut.png") });
  await page.click("#restart");
  await waitForFrames(2);
  const [drawnAgain, restored] = await triangles();
  assert.ok(drawnAgain === restored && restored >= all, `${drawnAgain} of ${restored} corners are drawn`);
});

test("the picture has the size of the window", async () => {
  await page.setViewportSize({ width: 500, height: 700 });
  await waitForFrames(3);
  const size = await page.evaluate(() => {
    const { width, height } = document.querySelector("canvas").getBoundingClientRect();
    return [width, height, example.camera.aspect];
  });
  assert.deepEqual(size, [500, 700, 500 / 700]);
});

test("the excerpt in docs/javascript.md is in the example", () => {
  const text = readFileSync(new URL("../../../docs/javascript.md", import.meta.url), "utf8");
  const [, excerpt] = text.match(/three\.js[^`]*`[^`]*main\.js`[\s\S]*?\n```\n([\s\S]*?)```/);
  const program = readFileSync(`${folder}/main.js`, "utf8");
  for (const part of excerpt.split("\n\n")) assert.ok(program.includes(part.trimEnd()), part);
});

test("the page reported no errors", () => assert.deepEqual(errors, []));
