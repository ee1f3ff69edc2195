#!/usr/bin/env bash
# Tests the page in a real browser, with `taut view` and, if it was built (scripts/web.sh), with
# apps/view/dist, the page without a server. Builds `taut`, unless TAUT names the program. Needs node 20
# and Chromium; if the system has none, Playwright downloads one.
set -euo pipefail
cd "$(dirname "$0")"

[ -n "${TAUT-}" ] || (cd ../../.. && cargo build --quiet --release --locked -p taut-cli)
npm ci --silent --no-audit --no-fund
node -e 'import("./chromium.mjs").then(({ chromiumPath }) => process.exit(chromiumPath() ? 0 : 1))' ||
    npx playwright-core install --with-deps chromium-headless-shell
npm test --silent
