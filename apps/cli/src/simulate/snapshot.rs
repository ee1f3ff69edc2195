//! Reads snapshots of worlds from files.

use std::fs;
use std::path::Path;

use anyhow::Context;
use taut::world::Snapshot;

/// Reads a file that `--snapshot` wrote, for `--resume`.
pub(crate) fn read(path: &Path) -> anyhow::Result<Snapshot> {
    let file = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{file}: cannot be read"))?;
    serde_json::from_str(&text).with_context(|| format!("{file}: not a snapshot"))
}
