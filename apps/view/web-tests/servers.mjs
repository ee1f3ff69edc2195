// The servers of the page: the program `taut view`, and the folder that another server serves.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const taut = process.env.TAUT ?? join(resolve(root, process.env.CARGO_TARGET_DIR ?? 'target'), 'release/taut');

/** Starts `taut view` with these arguments, and waits until it has printed its address. */
export async function startTaut(...args) {
  const child = spawn(taut, ['view', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL')); // also if the tests fail
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => { throw new Error(`taut view exited with code ${code}`); }),
  ]);
  const url = line.match(/http:\/\/\S+/)[0];
  return {
    url,
    pid: child.pid,
    port: new URL(url).port,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** The folder with the page that has the simulation inside it (see scripts/web.sh). */
export const dist = join(root, 'apps/view/dist');
