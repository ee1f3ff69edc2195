// A browser without a graphics card, and what tests ask of a page in it.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const KNOWN = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map((name) => `/usr/bin/${name}`);

/** The program to start: `$CHROMIUM`, that of the system, or Playwright's own. */
export function chromiumPath() {
  return [process.env.CHROMIUM, ...KNOWN, chromium.executablePath()].find((path) => path && existsSync(path));
}

export const openBrowser = () => chromium.launch({
  executablePath: chromiumPath(),
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

/** How long anything may take, ms: drawing is done by the processor here, which others use, too. */
export const PATIENCE = 30_000;

/** A page, and all that it complained of. */
export async function openPage(browser, url) {
  const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
  page.setDefaultTimeout(PATIENCE);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.stack));
  page.on('console', (message) => {
    const text = message.text();
    // That a socket cannot be opened while there is no server is what one test is about, and that
    // reading a picture back is slow is what taking pictures of it means.
    if (message.type() === 'error' && !/WebSocket/.test(text)) complaints.push(text);
    if (message.type() === 'warning' && /GL_INVALID|shader/.test(text)) complaints.push(text);
  });
  await page.goto(url);
  await isRunning(page);
  return { page, complaints };
}

export const isRunning = (page) => page.waitForFunction(() => window.taut?.state && taut.frames > 0 && taut.figures);

/** Waits until something is so in the page. */
export const until = (page, condition, argument) => page.waitForFunction(condition, argument, { polling: 50 });

/** Waits until so many more frames were drawn. */
export async function framesLater(page, count) {
  const now = await page.evaluate(() => taut.frames);
  await until(page, (least) => taut.frames >= least, now + count);
}

/** Chooses a scene, and waits for its picture. */
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

/** Stops time, or lets it go on, by the key, if it is not so already. */
export async function pause(page, on) {
  if (await page.evaluate(() => taut.state.paused) !== on) await press(page, 'p');
  await until(page, (on) => taut.state.paused === on, on);
}

/** Begins again while time stands still, and waits for the picture of it. */
export async function reset(page) {
  const before = await page.evaluate(() => taut.epoch);
  await press(page, 'r');
  await until(page, (before) => taut.epoch !== before && taut.position(0) && taut.figures.steps === 0, before);
}

/** Where the last particle is after so many steps, m. */
export async function lastParticle(page, step) {
  // There is none for a moment, when what is seen has become another world.
  const place = (step) => taut.step === step && taut.position(taut.state.counts.particles - 1);
  return (await until(page, place, step)).jsonValue();
}

/** Presses a button of a setting, and waits until the host has it so. */
export async function set(page, setting, value) {
  await page.click(`[data-setting="${setting}"] [data-name="${value}"]`);
  await until(page, ([key, it]) => `${taut.state.settings[key]}` === it, [setting, value]);
}

/** Waits until the eye stands still: it goes on for a while after whatever moved it. */
export const rests = (page) => page.evaluate(() => new Promise((done) => {
  let last = '';
  const look = () => {
    const now = `${taut.project(0)}`;
    if (now === last) done();
    else setTimeout(look, 250);
    last = now;
  };
  look();
}));

/** Fingers on the page, of which Playwright itself has only one. */
export async function fingers(page) {
  const client = await page.context().newCDPSession(page);
  const send = (type, ...points) => client.send('Input.dispatchTouchEvent', {
    type, touchPoints: points.map(([x, y], id) => ({ x, y, id })),
  });
  return {
    send,
    /** Puts fingers down, moves all in some steps, and takes them off. */
    async gesture(from, to) {
      await send('touchStart', ...from);
      for (const share of [0.2, 0.4, 0.6, 0.8, 1]) {
        await send('touchMove', ...from.map((it, k) => it.map((x, axis) => x + (to[k][axis] - x) * share)));
      }
      await send('touchEnd');
      await rests(page);
    },
  };
}

/** Of the picture alone: the variance of its brightness (of 255²), and the share of pixels that have colour. */
export async function look(page) {
  const alone = await page.addStyleTag({ content: 'main > :not(#picture) { visibility: hidden }' });
  const picture = await page.locator('#picture').screenshot();
  await alone.evaluate((it) => it.remove());
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
