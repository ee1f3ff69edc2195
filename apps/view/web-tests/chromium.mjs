// A headless browser with software rendering, for the tests of the page and of bindings/js.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const SYSTEM_BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map((name) => `/usr/bin/${name}`);

/** The path of the browser to start: the first that exists of `$CHROMIUM`, those of the system, and Playwright's. */
export function chromiumPath() {
  return [process.env.CHROMIUM, ...SYSTEM_BROWSERS, chromium.executablePath()].find((path) => path && existsSync(path));
}

/** Starts the browser. */
export const openBrowser = () => chromium.launch({
  executablePath: chromiumPath(),
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

/** The time limit of each wait, ms. It is long, because the processor draws the page and may be busy. */
const TIMEOUT = 30_000;

/** Opens a page. Returns it, and `errors`, which collects its exceptions, console errors and WebGL warnings. */
export async function openPage(browser, url) {
  const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
  page.setDefaultTimeout(TIMEOUT);
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.stack));
  page.on('console', (message) => {
    const text = message.text();
    // WebSocket errors are expected when a test kills its server. Other warnings are also expected, for example that
    // reading the picture is slow.
    if (message.type() === 'error' && !/WebSocket/.test(text)) errors.push(text);
    if (message.type() === 'warning' && /GL_INVALID|shader/.test(text)) errors.push(text);
  });
  await page.goto(url);
  return { page, errors };
}

/** Waits until a condition holds in the page. */
export const until = (page, condition, argument) => page.waitForFunction(condition, argument, { polling: 50 });

/** Measures a PNG: the variance of its brightness (0 to 255), and the fraction of coloured pixels. */
export function measurePng(page, png) {
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
  }, png.toString('base64'));
}
