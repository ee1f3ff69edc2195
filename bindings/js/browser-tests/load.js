// Loads the package through the entry for browsers in its package.json, and reads the rows of
// bindings/hashes.txt.
import { rows } from "./scenes.js";

const readText = async (path) => (await fetch(new URL(path, import.meta.url))).text();

export async function load() {
  const { exports } = JSON.parse(await readText("package/package.json"));
  const taut = await import(new URL(exports["."].default, new URL("package/", import.meta.url)));
  const { memory } = await taut.default();
  return { taut, memory, expectedRows: rows(await readText("hashes.txt")) };
}
