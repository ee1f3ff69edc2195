// Tests the page by mouse, touch and keys: with a server, and without one.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  cameraStops, choose, framesLater, isRunning, lastParticle, measurePicture, openBrowser, openPage, pause, press,
  reset, set, touchscreen, until,
} from './browser.mjs';
import { serveFiles } from '../../../scripts/serve.mjs';
import { dist, startTaut } from './servers.mjs';

const figures = (page) => page.evaluate(() => taut.figures);
const project = (page, particle) => page.evaluate((id) => taut.project(id), particle);

/** Presses the mouse on a particle. Returns the particle that is then held, which may be a neighbour. */
async function grab(page, particle) {
  await page.mouse.move(...await project(page, particle));
  await page.mouse.down();
  await until(page, () => taut.held.length === 1);
  return page.evaluate(() => taut.held[0]);
}

/** Cuts along a line by dragging with the right button. */
async function cut(page, from, to) {
  await page.mouse.move(...from);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(...to, { steps: 12 });
  await page.mouse.up({ button: 'right' }); // the movement since the last frame cuts, too
}

/** The tests of the page. `start` starts the server that serves it. */
function suite(name, start) {
  describe(name, () => {
    let server;
    let browser;
    let page;
    let errors;

    before(async () => {
      server = await start();
      browser = await openBrowser();
      ({ page, errors } = await openPage(browser, server.url));
    });
    beforeEach(async () => {
      // The previous test may have left the simulation paused.
      if (await page.evaluate(() => taut.isConnected)) await pause(page, false);
    });
    after(async () => {
      await browser?.close();
      await server?.kill();
    });

    test('the page loads and the simulation runs', async () => {
      const { step } = await page.evaluate(() => ({ step: taut.step }));
      await until(page, (before) => taut.step > before + 5, step);
      assert.match(await page.textContent('[data-figure="milliseconds"]'), /^[\d.]+$/);
      assert.match(await page.textContent('[data-figure="counts"]'), /particles/);
    });

    test('a dragged particle follows the mouse', async () => {
      await choose(page, 'drape');
      const { particles } = await page.evaluate(() => taut.state.counts);
      const side = Math.sqrt(particles);
      const particle = await grab(page, Math.floor(side / 2) * side + Math.floor(side / 2));
      const [x, y] = await project(page, particle);
      const start = await page.evaluate((id) => taut.position(id), particle);
      const to = [x + 60, y - 40];
      await page.mouse.move(...to, { steps: 4 });
      await until(page, ([id, to]) => Math.hypot(...taut.project(id).map((x, k) => x - to[k])) < 4, [particle, to]);
      const now = await page.evaluate((id) => taut.position(id), particle);
      assert.ok(Math.hypot(...now.map((x, k) => x - start[k])) > 0.1, `${start} to ${now}`);
      await page.mouse.up();
      await until(page, () => taut.held.length === 0);
    });

    test('the curtain can be cut and torn', async () => {
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
      // The figures follow, although the simulation is paused.
      await until(page, (least) => taut.figures.torn >= least, before + 0.3 * columns);
      await pause(page, false);

      // The curtain tears if it is pulled far enough.
      const torn = (await figures(page)).torn;
      await grab(page, 3 * columns + Math.floor(columns / 8));
      const box = await page.locator('#picture').boundingBox();
      await page.mouse.move(box.x + 0.2 * box.width, box.y + 0.7 * box.height, { steps: 8 });
      await until(page, (least) => taut.figures.torn > least + 2, torn);
      await page.mouse.up();
    });

    test('after a scene was chosen by mouse, letters are shortcuts of the page', async () => {
      await page.focus('[data-setting="scene"]');
      await choose(page, 'flag');
      assert.equal(await page.evaluate(() => document.activeElement.dataset.setting), undefined);
      await page.keyboard.press('p');
      await until(page, () => taut.state.paused);
      assert.equal(await page.evaluate(() => taut.state.scene), 'flag');
      await pause(page, false);
    });

    test('switching the kernel or the formula changes the figures', async () => {
      await choose(page, 'drape');
      await set(page, 'formula', 'exact');
      await until(page, () => taut.figures.roots > 0 && taut.figures.divisions > 0);
      await set(page, 'formula', 'quick');
      await until(page, () => taut.figures.roots === 0 && taut.figures.divisions === 0);
      await set(page, 'formula', 'halley');
      const { nanoseconds } = await figures(page);
      await set(page, 'kernel', 'scalar');
      await until(page, (before) => taut.figures.nanoseconds !== before, nanoseconds);
      assert.ok((await page.evaluate(() => taut.figures.steps)) > 0, 'the simulation restarted');
    });

    test('two kernels in a race stay bit-identical', async () => {
      const other = page.locator('[data-setting="race"] button:not([data-name="off"])').first();
      await other.click();
      await until(page, () => taut.state.race && taut.figures.race?.milliseconds > 0);
      const { steps } = await figures(page);
      await until(page, (least) => taut.figures.steps > least, steps + 20);
      assert.equal(await page.textContent('#race .badge'), 'bit-identical');
      await page.click('[data-setting="race"] [data-name="off"]');
      await until(page, () => !taut.state.race);
      assert.ok(await page.locator('#race').isHidden());
    });

    test('two fingers zoom and pan the view; one finger drags a particle', async () => {
      await choose(page, 'drape');
      await pause(page, true);
      await reset(page);
      await press(page, 'f');
      const touch = await touchscreen(page);
      const box = await page.locator('#picture').boundingBox();
      const at = (x, y) => [box.x + x * box.width, box.y + y * box.height];
      const corners = async () => {
        const size = await page.evaluate(() => taut.state.size);
        return [await project(page, 0), await project(page, size - 1)];
      };
      const width = ([[x0, y0], [x1, y1]]) => Math.hypot(x1 - x0, y1 - y0);
      await cameraStops(page);

      // The fingers are beside the sheet, so that none grabs a particle.
      const before = await corners();
      await touch.gesture([at(0.02, 0.3), at(0.02, 0.4)], [at(0.02, 0.25), at(0.02, 0.45)]);
      const zoomed = await corners();
      const factor = width(zoomed) / width(before);
      assert.ok(factor > 1.6 && factor < 2.5, `fingers twice as far apart magnify ${factor} times`);
      await press(page, 'f');
      await cameraStops(page);

      const start = await corners();
      await touch.gesture([at(0.02, 0.3), at(0.02, 0.4)], [at(0.12, 0.35), at(0.12, 0.45)]);
      const moved = await corners();
      const [dx, dy] = moved[0].map((x, axis) => x - start[0][axis]);
      assert.ok(Math.abs(dx - 0.1 * box.width) < 12 && Math.abs(dy - 0.05 * box.height) < 12, `moved by ${dx}, ${dy}`);
      assert.ok(Math.abs(width(moved) / width(start) - 1) < 0.05, 'panning zoomed the view');
      assert.deepEqual(await page.evaluate(() => taut.held), []);
      await press(page, 'f');
      await cameraStops(page);

      // A finger on the sheet grabs a particle; lifting the finger releases the particle.
      const { particles } = await page.evaluate(() => taut.state.counts);
      await touch.send('touchStart', await project(page, Math.floor(particles / 2)));
      await until(page, () => taut.held.length === 1);
      await touch.send('touchEnd');
      await until(page, () => taut.held.length === 0);
    });

    test('R restarts, S runs a single step', async () => {
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

    test('T switches tethers, G gravity and W wind', async () => {
      await choose(page, 'drape');
      await pause(page, true);
      // How far the last particle, a free corner, moves in the first step.
      const firstStep = async () => {
        await reset(page);
        const start = await lastParticle(page, 0);
        await press(page, 's');
        const end = await lastParticle(page, 1);
        return end.map((x, axis) => Math.abs(x - start[axis]));
      };
      assert.ok(await page.evaluate(() => taut.state.tethers), 'the hanging sheet has no tethers');
      assert.ok((await firstStep())[1] < 1e-4, 'the tethers do not hold the corner');
      await press(page, 't');
      await until(page, () => !taut.state.tethers);
      assert.ok((await firstStep())[1] > 1e-3, 'without tethers the corner does not fall');
      await press(page, 'g');
      await until(page, () => !taut.state.gravity);
      assert.ok(Math.max(...await firstStep()) < 1e-4, 'the corner moves without gravity');
      await press(page, 'w');
      await until(page, () => taut.state.wind);
      assert.ok(Math.max(...await firstStep()) > 1e-3, 'the wind does not move the corner');
      await press(page, 'g');
      await press(page, 'w');
      await until(page, () => taut.state.gravity && !taut.state.wind);
      await reset(page);
      await pause(page, false);
    });

    test('X switches self-collision, Z sleep; sliders and a table change it', async () => {
      await choose(page, 'tablecloth');
      const slider = (name) => page.locator(`[data-setting="${name}"] input`);
      const asleep = page.locator('[data-figure="asleep"]');
      assert.ok(await slider('thickness').isHidden() && await asleep.isHidden());
      await press(page, 'x');
      await until(page, () => taut.state.collisions);
      assert.ok(await slider('thickness').isVisible());
      await slider('friction').fill('0.75');
      await until(page, () => taut.state.settings.friction === 0.75);
      const filters = page.locator('[data-setting="filters"]');
      await filters.locator('summary').click();
      await filters.getByLabel('collides with category 1').click();
      await until(page, () => taut.state.settings.filters[0].mask === 0xfffffffe);
      await filters.getByLabel('is in category 2').click();
      await until(page, () => taut.state.settings.filters[0].categories === 3);
      await press(page, 'x');
      await until(page, () => !taut.state.collisions);
      assert.ok(await slider('friction').isHidden());
      await press(page, 'z');
      await until(page, () => taut.state.sleep);
      await until(page, () => document.querySelector('[data-figure="asleep"]').textContent === '1 of 1 models asleep');
      assert.ok(await asleep.isVisible());
      await press(page, 'z');
      await until(page, () => !taut.state.sleep);
      assert.ok(await asleep.isHidden());
    });

    test('a slider sets the number of copies', async () => {
      await choose(page, 'plants');
      const slider = page.locator('[data-setting="copies"] input');
      assert.equal(await slider.inputValue(), `${await page.evaluate(() => taut.state.size)}`);
      assert.ok(await page.locator('[data-setting="size"]').isHidden());
      await slider.fill('13');
      await until(page, () => taut.state.size === 13);
      assert.match(await page.textContent('[data-setting="copies"] output'), /^13$/);
      await framesLater(page, 3);
      await choose(page, 'drape');
      assert.ok(await slider.isHidden());
      assert.ok(await page.locator('[data-setting="size"]').isVisible());
    });

    test('an unavailable kernel shows its reason', async () => {
      await choose(page, 'ragdolls');
      await page.click('[data-setting="kernel"] [aria-disabled="true"]', { force: true });
      assert.match(await page.locator('.toast').last().textContent(), /grid/);
      await framesLater(page, 3);
    });

    test('a blow-up is reported, and R restarts', async () => {
      await choose(page, 'drape');
      await page.selectOption('[data-setting="schedule"]', 'authored');
      await until(page, () => taut.state.settings.schedule === 'authored');
      await page.locator('[data-setting="iterations"] input').fill('1');
      await until(page, () => taut.state.settings.iterations === 1);
      await set(page, 'formula', 'newton');
      await until(page, () => taut.figures.blown);
      assert.match(await page.textContent('#banner'), /blew up/);
      await measurePicture(page); // the picture can still be drawn
      // Another schedule makes a new topology, which has blown up already in its first frame.
      const before = await page.evaluate(() => taut.epoch);
      await page.click('[data-action="defaults"]');
      await until(page, (before) => taut.epoch !== before, before);
      await measurePicture(page);
      await press(page, 'r');
      await until(page, () => !taut.figures.blown && taut.figures.steps > 0);
      assert.ok(await page.locator('#banner').isHidden());
      assert.equal(await page.evaluate(() => taut.state.settings.schedule), 'sheet');
    });

    test('the camera moves nearer when a scene has settled in a small area', async () => {
      await choose(page, 'boxes');
      // The total length on the page of the lines that join the four particles of each box.
      const lengthOnPage = () => page.evaluate(() => {
        const points = Array.from({ length: taut.state.counts.particles }, (_, id) => taut.project(id));
        const length = (id) => Math.hypot(points[id][0] - points[id - 1][0], points[id][1] - points[id - 1][1]);
        return points.reduce((sum, _, id) => (id % 4 ? sum + length(id) : sum), 0);
      });
      const falling = await lengthOnPage();
      await until(page, (step) => taut.step > step, 300);
      while (await lengthOnPage() < 1.5 * falling) await framesLater(page, 5);
    });

    test('every scene is visible', async () => {
      const scenes = await page.evaluate(() => taut.state.scenes.map(({ name }) => name));
      assert.ok(scenes.length >= 14);
      for (const scene of scenes) {
        await choose(page, scene);
        await framesLater(page, 12); // a fountain starts without drops
        const { variance, coloured } = await measurePicture(page);
        // A rope has some 500 of the 580,000 pixels, and an empty picture none.
        assert.ok(variance > 20 && coloured > 0.0005, `${scene}: variance ${variance}, coloured ${coloured}`);
      }
    });

    test('the page reported no errors', () => assert.deepEqual(errors, []));

    if (name !== 'with a server') return;

    test('a reloaded and a second page show the same simulation', async () => {
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

    test('the page reports a killed server and reconnects to a new one', async () => {
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
else test('without a server', { skip: 'apps/view/dist was not built' }, () => {});
