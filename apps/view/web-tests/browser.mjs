// Helpers for the tests of the page. `taut` is the interface of the page for tests (see apps/view/web/main.js).

import { measurePng, openPage as open, until } from './chromium.mjs';

export { openBrowser, until } from './chromium.mjs';

/** Opens the page and waits until the simulation runs. Returns the page and its `errors`, as in `chromium.mjs`. */
export async function openPage(browser, url) {
  const opened = await open(browser, url);
  await isRunning(opened.page);
  return opened;
}

/** Waits until the page shows a simulation. */
export const isRunning = (page) => page.waitForFunction(() => window.taut?.state && taut.frames > 0 && taut.figures);

/** Waits until the page has received and uploaded `count` more frames. */
export async function framesLater(page, count) {
  const now = await page.evaluate(() => taut.frames);
  await until(page, (least) => taut.frames >= least, now + count);
}

/** Selects a scene, and waits until it is drawn. */
export async function choose(page, scene) {
  const before = await page.evaluate(() => [taut.state.scene, taut.epoch]);
  if (before[0] === scene) return;
  await page.selectOption('[data-setting="scene"]', scene);
  await until(page, ([name, epoch]) => taut.state.scene === name && taut.epoch !== epoch, [scene, before[1]]);
  await framesLater(page, 2);
}

/** Presses a key in the picture. */
export const press = async (page, key) => {
  await page.locator('#picture').focus();
  await page.keyboard.press(key);
};

/** Pauses (`on`) or continues the simulation with the key P, unless it is already in that state. */
export async function pause(page, on) {
  if (await page.evaluate(() => taut.state.paused) !== on) await press(page, 'p');
  await until(page, (on) => taut.state.paused === on, on);
}

/** Restarts the scene, which must be paused, and waits until it is drawn. */
export async function reset(page) {
  const before = await page.evaluate(() => taut.epoch);
  await press(page, 'r');
  await until(page, (before) => taut.epoch !== before && taut.position(0) && taut.figures.steps === 0, before);
}

/** Waits for step number `step`, and returns the position of the last particle after it, m. */
export async function lastParticle(page, step) {
  // There is no position for a moment after the topology changed.
  const position = (step) => taut.step === step && taut.position(taut.state.counts.particles - 1);
  return (await until(page, position, step)).jsonValue();
}

/** Presses the button `value` of a setting, and waits until the host has applied it. */
export async function set(page, setting, value) {
  await page.click(`[data-setting="${setting}"] [data-name="${value}"]`);
  await until(page, ([key, expected]) => `${taut.state.settings[key]}` === expected, [setting, value]);
}

/** Waits until the camera no longer moves: particle 0 stays at the same pixel for 250 ms. */
export const cameraStops = (page) => page.evaluate(() => new Promise((done) => {
  let last = '';
  const check = () => {
    const now = `${taut.project(0)}`;
    if (now === last) done();
    else setTimeout(check, 250);
    last = now;
  };
  check();
}));

/** Input with several fingers, which Playwright itself does not offer. */
export async function touchscreen(page) {
  const client = await page.context().newCDPSession(page);
  const send = (type, ...points) => client.send('Input.dispatchTouchEvent', {
    type, touchPoints: points.map(([x, y], id) => ({ x, y, id })),
  });
  return {
    /** Sends a touch event with these points, pixels of the page. */
    send,
    /** Puts fingers down at `from`, moves them to `to` in some steps, and lifts them. */
    async gesture(from, to) {
      await send('touchStart', ...from);
      for (const fraction of [0.2, 0.4, 0.6, 0.8, 1]) {
        await send('touchMove', ...from.map((start, k) => start.map((x, axis) => x + (to[k][axis] - x) * fraction)));
      }
      await send('touchEnd');
      await cameraStops(page);
    },
  };
}

/** Measures the picture: the variance of its brightness (0 to 255), and the fraction of coloured pixels. */
export async function measurePicture(page) {
  const hideOverlays = await page.addStyleTag({ content: 'main > :not(#picture) { visibility: hidden }' });
  const picture = await page.locator('#picture').screenshot();
  await hideOverlays.evaluate((style) => style.remove());
  return measurePng(page, picture);
}
