// Says what the Khronos validator says of glTF files; fails if there is an error or a warning.
const { readFileSync } = require('node:fs');
const validator = require('gltf-validator');

const MOST = 5; // messages shown of each file

async function look(path) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), { uri: path });
  const { numErrors, numWarnings, messages } = report.issues;
  const { animationCount, totalVertexCount, totalTriangleCount } = report.info;
  console.log(
    `${path}: ${numErrors} errors, ${numWarnings} warnings; ${animationCount} animations, ` +
      `${totalVertexCount} vertices, ${totalTriangleCount} triangles`,
  );
  for (const { code, message, pointer } of messages.filter((it) => it.severity < 2).slice(0, MOST)) {
    console.log(`  ${code} ${pointer ?? ''}: ${message}`);
  }
  return numErrors + numWarnings;
}

async function all(paths) {
  let found = 0;
  for (const path of paths) found += await look(path);
  process.exit(found === 0 && paths.length > 0 ? 0 : 1);
}

all(process.argv.slice(2));
