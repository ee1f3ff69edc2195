//! Makes the ES modules and TypeScript types of the npm package from its WebAssembly.
//!
//! `taut-js-bundle FILE.wasm FOLDER` writes `taut.js`, `taut.d.ts` and `taut_bg.wasm` to the folder.

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let (wasm, folder) =
        arguments.next().zip(arguments.next()).context("needs FILE.wasm and FOLDER")?;
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(wasm)
        .out_name("taut")
        .web(true)?
        .typescript(true)
        .omit_default_module_path(false) // `init()` finds `taut_bg.wasm` beside `taut.js`
        .remove_name_section(true);
    bindgen.generate(folder)
}
