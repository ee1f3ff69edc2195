// What a person does with the page, done by a program; the same with a server and without.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  choose, fingers, framesLater, isRunning, lastParticle, look, openBrowser, openPage, pause, press, reset, rests, set,
  until,
} from './browser.mjs';
import { dist, serveFiles, startTaut } from './servers.mjs';

const figures = (page) => page.evaluate(() => taut.figures);
const project = (page, particle) => page.evaluate((id) => taut.project(id), particle);

/** Presses the mouse on a particle; the one that is held, which may be a neighbour of it. */
async function grab(page, particle) {
  await page.mouse.move(...await project(page, particle));
  await page.mouse.down();
  await until(page, () => taut.held.length === 1);
  return page.evaluate(() => taut.held[0]);
}

/** A stroke with the right button. */
async function cut(page, from, to) {
  await page.mouse.move(...from);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(...to, { steps: 12 });
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await page.mouse.up({ button: 'right' });
}

function suite(name, start) {
  describe(name, () => {
    let server;
    let browser;
    let page;
    let complaints;

    before(async () => {
      server = await start();
      browser = await openBrowser();
      ({ page, complaints } = await openPage(browser, server.url));
    });
    beforeEach(async () => {
      // What another test left.
      if (await page.evaluate(() => taut.isConnected)) await pause(page, false);
    });
    after(async () => {
      await browser?.close();
      await server?.kill();
    });

    test('the page loads and moves', async () => {
      const { step } = await page.evaluate(() => ({ step: taut.step }));
      await until(page, (before) => taut.step > before + 5, step);
      assert.match(await page.textContent('[data-figure="milliseconds"]'), /^[\d.]+$/);
      assert.match(await page.textContent('[data-figure="counts"]'), /particles/);
    });

    test('a particle is dragged and goes along', async () => {
      await choose(page, 'drape');
      const { particles } = await page.evaluate(() => taut.state.counts);
      const side = Math.sqrt(particles);
      const particle = await grab(page, Math.floor(side / 2) * side + Math.floor(side / 2));
      const [x, y] = await project(page, particle);
      const there = await page.evaluate((id) => taut.position(id), particle);
      const to = [x + 60, y - 40];
      await page.mouse.move(...to, { steps: 4 });
      await until(page, ([id, to]) => Math.hypot(...taut.project(id).map((x, k) => x - to[k])) < 4, [particle, to]);
      const now = await page.evaluate((id) => taut.position(id), particle);
      assert.ok(Math.hypot(...now.map((x, k) => x - there[k])) > 0.1, `${there} to ${now}`);
      await page.mouse.up();
      await until(page, () => taut.held.length === 0);
    });

    test('the curtain is cut and tears: sticks go', async () => {
      await choose(page, 'curtain');
      await pause(page, true);
      await reset(page);
      const before = (await figures(page)).torn;
      const { particles } = await page.evaluate(() => taut.state.counts);
      const columns = await page.evaluate(() => taut.state.size);
      const rows = particles / columns;
      const row = Math.floor(rows / 3);
      const [x0, y] = await project(page, row * columns);
      const [x1] = await project(page, row * columns + columns - 1);
      const middle = (y + (await project(page, (row + 1) * columns))[1]) / 2;
      await cut(page, [x0 + 0.3 * (x1 - x0), middle], [x0 + 0.7 * (x1 - x0), middle]);
      await pause(page, false);
      await until(page, (least) => taut.figures.torn >= least, before + 0.3 * columns);

      // Pulled far enough, it tears where it is held.
      const torn = (await figures(page)).torn;
      await grab(page, 3 * columns + Math.floor(columns / 8));
      const box = await page.locator('#picture').boundingBox();
      await page.mouse.move(box.x + 0.2 * box.width, box.y + 0.7 * box.height, { steps: 8 });
      await until(page, (least) => taut.figures.torn > least + 2, torn);
      await page.mouse.up();
    });

    test('kernel and formula are switched and the figures change', async () => {
      await choose(page, 'drape');
      await set(page, 'formula', 'exact');
      await until(page, () => taut.figures.roots > 0 && taut.figures.divisions > 0);
      await set(page, 'formula', 'quick');
      await until(page, () => taut.figures.roots === 0 && taut.figures.divisions === 0);
      await set(page, 'formula', 'halley');
      const { nanoseconds } = await figures(page);
      await set(page, 'kernel', 'scalar');
      await until(page, (before) => taut.figures.nanoseconds !== before, nanoseconds);
      assert.ok((await page.evaluate(() => taut.figures.steps)) > 0, 'the state was kept');
    });

    test('two kernels race and stay bit-equal', async () => {
      const other = page.locator('[data-setting="race"] button:not([data-name="off"])').first();
      await other.click();
      await until(page, () => taut.state.race && taut.figures.race?.milliseconds > 0);
      const { steps } = await figures(page);
      await until(page, (least) => taut.figures.steps > least, steps + 20);
      assert.equal(await page.textContent('#race .badge'), 'bit-equal');
      await page.click('[data-setting="race"] [data-name="off"]');
      await until(page, () => !taut.state.race);
      assert.ok(await page.locator('#race').isHidden());
    });

    test('two fingers zoom where they are and move what they are on; one drags', async () => {
      await choose(page, 'drape');
      await pause(page, true);
      await reset(page);
      await press(page, 'f');
      const touch = await fingers(page);
      const box = await page.locator('#picture').boundingBox();
      const at = (x, y) => [box.x + x * box.width, box.y + y * box.height];
      const corners = async () => {
        const size = await page.evaluate(() => taut.state.size);
        return [await project(page, 0), await project(page, size - 1)];
      };
      const width = ([[x0, y0], [x1, y1]]) => Math.hypot(x1 - x0, y1 - y0);
      await rests(page);

      // Beside the sheet, so that none takes hold of a particle.
      const before = await corners();
      await touch.gesture([at(0.02, 0.3), at(0.02, 0.4)], [at(0.02, 0.25), at(0.02, 0.45)]);
      const zoomed = await corners();
      const factor = width(zoomed) / width(before);
      assert.ok(factor > 1.6 && factor < 2.5, `twice as far apart: ${factor} times as large`);
      await press(page, 'f');
      await rests(page);

      const start = await corners();
      await touch.gesture([at(0.02, 0.3), at(0.02, 0.4)], [at(0.12, 0.35), at(0.12, 0.45)]);
      const moved = await corners();
      const [dx, dy] = moved[0].map((x, axis) => x - start[0][axis]);
      assert.ok(Math.abs(dx - 0.1 * box.width) < 12 && Math.abs(dy - 0.05 * box.height) < 12, `moved by ${dx}, ${dy}`);
      assert.ok(Math.abs(width(moved) / width(start) - 1) < 0.05, 'as large as before');
      assert.deepEqual(await page.evaluate(() => taut.held), []);
      await press(page, 'f');
      await rests(page);

      // A finger on the sheet takes hold of it; it lets go when it goes up.
      const { particles } = await page.evaluate(() => taut.state.counts);
      await touch.send('touchStart', await project(page, Math.floor(particles / 2)));
      await until(page, () => taut.held.length === 1);
      await touch.send('touchEnd');
      await until(page, () => taut.held.length === 0);
    });

    test('R begins again, S makes a single step', async () => {
      await pause(page, true);
      await reset(page);
      const start = await lastParticle(page, 0);
      await press(page, 's');
      assert.notDeepEqual(await lastParticle(page, 1), start);
      await reset(page);
      await until(page, (start) => `${taut.position(taut.state.counts.particles - 1)}` === start, `${start}`);
      await pause(page, false);
      await until(page, () => taut.step > 3);
    });

    test('T lets fall, G lets go and W blows', async () => {
      await choose(page, 'drape');
      await pause(page, true);
      // How far the last particle, a free corner, goes in the first step of all.
      const firstStep = async () => {
        await reset(page);
        const start = await lastParticle(page, 0);
        await press(page, 's');
        const end = await lastParticle(page, 1);
        return end.map((x, axis) => Math.abs(x - start[axis]));
      };
      assert.ok(await page.evaluate(() => taut.state.tethers), 'a sheet that hangs has tethers');
      assert.ok((await firstStep())[1] < 1e-4, 'tethers hold it');
      await press(page, 't');
      await until(page, () => !taut.state.tethers);
      assert.ok((await firstStep())[1] > 1e-3, 'it falls');
      await press(page, 'g');
      await until(page, () => !taut.state.gravity);
      assert.ok(Math.max(...await firstStep()) < 1e-4, 'it floats');
      await press(page, 'w');
      await until(page, () => taut.state.wind);
      assert.ok(Math.max(...await firstStep()) > 1e-3, 'it is blown');
      await press(page, 'g');
      await press(page, 'w');
      await until(page, () => taut.state.gravity && !taut.state.wind);
      await reset(page);
      await pause(page, false);
    });

    test('what cannot be had is said, and nothing stops', async () => {
      await choose(page, 'ragdolls');
      await page.click('[data-setting="kernel"] [aria-disabled="true"]', { force: true });
      assert.match(await page.locator('.toast').last().textContent(), /grid/);
      await framesLater(page, 3);
    });

    test('what blows up is said, and R begins again', async () => {
      await choose(page, 'drape');
      await page.selectOption('[data-setting="schedule"]', 'authored');
      await until(page, () => taut.state.settings.schedule === 'authored');
      await page.locator('[data-setting="iterations"] input').fill('1');
      await until(page, () => taut.state.settings.iterations === 1);
      await set(page, 'formula', 'newton');
      await until(page, () => taut.figures.blown);
      assert.match(await page.textContent('#banner'), /blew up/);
      await look(page); // it still can be drawn
      // Another order is another topology, blown up from its first frame on.
      const before = await page.evaluate(() => taut.epoch);
      await page.click('[data-action="own"]');
      await until(page, (before) => taut.epoch !== before, before);
      await look(page);
      await press(page, 'r');
      await until(page, () => !taut.figures.blown && taut.figures.steps > 0);
      assert.ok(await page.locator('#banner').isHidden());
      assert.equal(await page.evaluate(() => taut.state.settings.schedule), 'sheet');
    });

    test('what has fallen together is seen from nearer', async () => {
      await choose(page, 'boxes');
      // How long what joins the four particles of each is on the page.
      const seen = () => page.evaluate(() => {
        const points = Array.from({ length: taut.state.counts.particles }, (_, id) => taut.project(id));
        const length = (id) => Math.hypot(points[id][0] - points[id - 1][0], points[id][1] - points[id - 1][1]);
        return points.reduce((sum, _, id) => (id % 4 ? sum + length(id) : sum), 0);
      });
      const falling = await seen();
      await until(page, (step) => taut.step > step, 300);
      while (await seen() < 1.5 * falling) await framesLater(page, 5);
    });

    test('every scene is seen', async () => {
      const scenes = await page.evaluate(() => taut.state.scenes.map(({ name }) => name));
      assert.ok(scenes.length >= 14);
      for (const scene of scenes) {
        await choose(page, scene);
        await framesLater(page, 12); // a fountain begins without a drop
        const { variance, coloured } = await look(page);
        assert.ok(variance > 20 && coloured > 0.001, `${scene}: variance ${variance}, coloured ${coloured}`);
      }
    });

    test('nothing was complained of', () => assert.deepEqual(complaints, []));

    if (name !== 'with a server') return;

    test('a reload and a second page see the same world', async () => {
      await choose(page, 'flag');
      await pause(page, true);
      const second = await openPage(browser, server.url);
      await page.reload();
      await isRunning(page);
      const seen = () => [taut.state.scene, taut.state.paused, taut.step, taut.position(77)];
      assert.deepEqual(await second.page.evaluate(seen), await page.evaluate(seen));
      await pause(second.page, false);
      await until(page, () => !taut.state.paused);
      await second.page.close();
      await framesLater(page, 3);
    });

    test('a server that is killed is said, and one that is back is found', async () => {
      const { port } = server;
      await server.kill();
      await until(page, () => !taut.isConnected);
      assert.match(await page.textContent('#banner'), /Reconnecting/);
      server = await startTaut('curtain', '--port', port);
      await until(page, () => taut.isConnected && taut.state.scene === 'curtain');
      await framesLater(page, 3);
      assert.ok(await page.locator('#banner').isHidden());
    });
  });
}

suite('with a server', () => startTaut('curtain'));

if (existsSync(dist)) suite('without a server', () => serveFiles(dist));
else test('without a server', { skip: 'apps/view/dist was not made' }, () => {});
