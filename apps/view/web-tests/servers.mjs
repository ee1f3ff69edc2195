// Servers of the page: the program `taut view`, and a static file server.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const taut = process.env.TAUT ?? join(root, 'target/release/taut');

/** Starts `taut view` with these arguments. */
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

export const dist = join(root, 'apps/view/dist');

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

/** Serves the files of a folder. */
export async function serveFiles(folder) {
  const server = createServer(async ({ url }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://x').pathname));
    const file = join(folder, path === '/' ? 'index.html' : path);
    try {
      const bytes = await readFile(file);
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async kill() {
      server.closeAllConnections();
      server.close();
    },
  };
}
