// A browser with software rendering, and helpers for tests of the page.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const SYSTEM_BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map((name) => `/usr/bin/${name}`);

/** The browser to start: `$CHROMIUM`, that of the system, or that of Playwright. */
export function chromiumPath() {
  return [process.env.CHROMIUM, ...SYSTEM_BROWSERS, chromium.executablePath()].find((path) => path && existsSync(path));
}

export const openBrowser = () => chromium.launch({
  executablePath: chromiumPath(),
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

/** The time limit of each wait, ms. Generous, because the processor draws and may be shared. */
const TIMEOUT = 30_000;

/** Opens a page; `errors` collects its exceptions, console errors and WebGL warnings. */
export async function openPage(browser, url) {
  const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
  page.setDefaultTimeout(TIMEOUT);
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.stack));
  page.on('console', (message) => {
    const text = message.text();
    // One test kills the server, which makes WebSocket errors. Other warnings, for example that
    // reading the picture is slow, are expected.
    if (message.type() === 'error' && !/WebSocket/.test(text)) errors.push(text);
    if (message.type() === 'warning' && /GL_INVALID|shader/.test(text)) errors.push(text);
  });
  await page.goto(url);
  await isRunning(page);
  return { page, errors };
}

export const isRunning = (page) => page.waitForFunction(() => window.taut?.state && taut.frames > 0 && taut.figures);

/** Waits until a condition holds in the page. */
export const until = (page, condition, argument) => page.waitForFunction(condition, argument, { polling: 50 });

/** Waits until `count` more frames were drawn. */
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

export const press = async (page, key) => {
  await page.locator('#picture').focus();
  await page.keyboard.press(key);
};

/** Pauses or continues the simulation with the key, unless it is in that state already. */
export async function pause(page, on) {
  if (await page.evaluate(() => taut.state.paused) !== on) await press(page, 'p');
  await until(page, (on) => taut.state.paused === on, on);
}

/** Restarts the paused scene, and waits until it is drawn. */
export async function reset(page) {
  const before = await page.evaluate(() => taut.epoch);
  await press(page, 'r');
  await until(page, (before) => taut.epoch !== before && taut.position(0) && taut.figures.steps === 0, before);
}

/** The position of the last particle after step number `step`, m. */
export async function lastParticle(page, step) {
  // There is no position for a moment after the topology changed.
  const position = (step) => taut.step === step && taut.position(taut.state.counts.particles - 1);
  return (await until(page, position, step)).jsonValue();
}

/** Presses a button of a setting, and waits until the host has applied it. */
export async function set(page, setting, value) {
  await page.click(`[data-setting="${setting}"] [data-name="${value}"]`);
  await until(page, ([key, it]) => `${taut.state.settings[key]}` === it, [setting, value]);
}

/** Waits until the camera stands still: its movements take a while. */
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

/** Multi-touch input, which Playwright itself does not offer. */
export async function touchscreen(page) {
  const client = await page.context().newCDPSession(page);
  const send = (type, ...points) => client.send('Input.dispatchTouchEvent', {
    type, touchPoints: points.map(([x, y], id) => ({ x, y, id })),
  });
  return {
    send,
    /** Puts fingers down at `from`, moves them to `to` in some steps, and lifts them. */
    async gesture(from, to) {
      await send('touchStart', ...from);
      for (const fraction of [0.2, 0.4, 0.6, 0.8, 1]) {
        await send('touchMove', ...from.map((it, k) => it.map((x, axis) => x + (to[k][axis] - x) * fraction)));
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
  await hideOverlays.evaluate((it) => it.remove());
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let [sum, squares, coloured] = [0, 0, 0];
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b] = data.subarray(i, i + 3);
      const bright = (r + g + b) / 3;
      sum += bright;
      squares += bright * bright;
      if (Math.max(r, g, b) - Math.min(r, g, b) > 40) coloured++;
    }
    const count = data.length / 4;
    return { variance: squares / count - (sum / count) ** 2, coloured: coloured / count };
  }, picture.toString('base64'));
}
