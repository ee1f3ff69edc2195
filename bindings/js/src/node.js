// The entry of the package for node, which reads the WebAssembly from the package. Browsers and workers import
// taut.js instead, and call its `init()`, which fetches the WebAssembly.
import { readFileSync } from "node:fs";
import { initSync } from "./taut.js";

initSync({ module: readFileSync(new URL("taut_bg.wasm", import.meta.url)) });

/** Does nothing in node: the module is ready when its import has ended. */
export default async function init() {}
export * from "./taut.js";
