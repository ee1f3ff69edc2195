// A static file server for the tests and examples in a browser. It also runs as a program:
//
//   node scripts/serve.mjs FOLDER [PORT]    # the default port is 8080

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm', // With this type, and no other, browsers compile a module while it arrives.
};

/**
 * Serves the files of a folder to this machine; port 0 is any free port. Returns the URL, and `kill`, which
 * stops the server.
 */
export async function serveFiles(folder, port = 0) {
  const server = createServer(async ({ url }, response) => {
    try {
      const path = normalize(decodeURIComponent(new URL(url, 'http://x').pathname));
      const file = join(folder, path.endsWith('/') ? join(path, 'index.html') : path);
      const bytes = await readFile(file);
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async kill() {
      server.closeAllConnections();
      server.close();
    },
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder, port] = process.argv.slice(2);
  const { url } = await serveFiles(folder, Number(port ?? 8080));
  console.log(`${folder} is served at ${url}`);
}
