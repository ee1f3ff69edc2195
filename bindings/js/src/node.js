// Node reads the WebAssembly from the package; browsers and workers call `init()` of taut.js, which
// fetches it.
import { readFileSync } from "node:fs";
import { initSync } from "./taut.js";

initSync({ module: readFileSync(new URL("taut_bg.wasm", import.meta.url)) });

/** Does nothing in node, where the module is ready once it is imported. */
export default async function init() {}
export * from "./taut.js";
