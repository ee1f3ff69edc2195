// Prints the report of the Khronos validator on glTF files; fails if there is an error or a warning.
const { readFileSync } = require('node:fs');
const validator = require('gltf-validator');

const MESSAGES_MAX = 5; // messages shown per file

/** Prints the report on a file. Returns the number of errors and warnings. */
async function validate(path) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), { uri: path });
  const { numErrors, numWarnings, messages } = report.issues;
  const { animationCount, totalVertexCount, totalTriangleCount } = report.info;
  console.log(
    `${path}: ${numErrors} errors, ${numWarnings} warnings; ${animationCount} animations, ` +
      `${totalVertexCount} vertices, ${totalTriangleCount} triangles`,
  );
  // Severity 0 is an error, 1 a warning.
  for (const { code, message, pointer } of messages.filter(({ severity }) => severity < 2).slice(0, MESSAGES_MAX)) {
    console.log(`  ${code} ${pointer ?? ''}: ${message}`);
  }
  return numErrors + numWarnings;
}

async function validateAll(paths) {
  let issues = 0;
  for (const path of paths) issues += await validate(path);
  process.exit(issues === 0 && paths.length > 0 ? 0 : 1);
}

validateAll(process.argv.slice(2));
