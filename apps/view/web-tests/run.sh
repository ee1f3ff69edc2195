#!/usr/bin/env bash
# Tests the page in a real browser: as served by `taut view`, and the page without a simulation server in
# apps/view/dist, if scripts/web.sh has built it. Builds `taut`, unless TAUT is the path of the program. Needs
# node 20 and Chromium; if the system has no Chromium, Playwright downloads one.
set -euo pipefail
cd "$(dirname "$0")"

[ -n "${TAUT-}" ] || (cd ../../.. && cargo build --quiet --release --locked -p taut-cli)
npm ci --silent --no-audit --no-fund
node -e 'import("./chromium.mjs").then(({ chromiumPath }) => process.exit(chromiumPath() ? 0 : 1))' ||
    npx playwright-core install --with-deps chromium-headless-shell
npm test --silent
