// Tests the packed npm package in headless Chromium: on the thread of a page, and in a module worker.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openBrowser, openPage, until } from "../../../apps/view/web-tests/chromium.mjs";
import { serveFiles } from "../../../scripts/serve.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
let folder;
let server;
let browser;
let page;
let errors;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "taut-"));
  const pack = ["pack", "--silent", "--pack-destination", folder];
  const archive = execFileSync("npm", pack, { cwd: root, encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", join(folder, archive), "-C", folder]); // makes the folder `package`
  for (const file of ["browser-tests/page.html", "browser-tests/page.js", "browser-tests/load.js",
    "browser-tests/worker.js", "tests/scenes.js", "../hashes.txt"]) {
    cpSync(join(root, file), join(folder, basename(file)));
  }
  server = await serveFiles(folder);
  browser = await openBrowser();
  ({ page, errors } = await openPage(browser, `${server.url}/page.html`));
  await until(page, () => globalThis.tests);
});

after(async () => {
  await browser?.close();
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Checks that the hash found for each row of bindings/hashes.txt is the expected one. */
function check(rows) {
  assert.ok(rows.length >= 10, `hashes.txt has ${rows.length} rows, expected at least 10`);
  for (const { scene, expected, found } of rows) assert.equal(found, expected, scene);
}

test("on the thread of a page, the hashes are those of hashes.txt", async () => {
  check(await page.evaluate(() => tests.hashes()));
});

test("in a module worker, the hashes are those of hashes.txt", async () => {
  check(await page.evaluate(() => tests.inWorker({})));
});

test("arrays of the page keep their numbers and can be filled when the memory of the module has grown", async () => {
  const { grown, detached, kept, same, equal, lowest } = await page.evaluate(() => tests.fillAroundGrowth());
  assert.ok(grown > 0 && detached, "the memory has not grown");
  assert.ok(kept && same && equal && lowest < 0, JSON.stringify({ kept, same, equal, lowest }));
});

test("a worker fills an array of the page, without a copy", async () => {
  const { given, filled, equal } = await page.evaluate(() => tests.fillInWorker());
  assert.equal(given, 0, "the array was copied, not transferred");
  assert.equal(filled, 3 * 289); // the sheet has 17 x 17 = 289 particles
  assert.ok(equal);
});

test("the page reported no errors", () => assert.deepEqual(errors, []));
