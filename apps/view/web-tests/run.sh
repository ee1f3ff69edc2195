#!/usr/bin/env bash
# The page in a real browser: builds `taut`, or takes the one that TAUT names, and runs the tests
# against `taut view`; and against apps/view/dist, the page without a server, if that was made.
# Needs node 20 and a Chromium: that of the system, or else one that Playwright fetches.
set -euo pipefail
cd "$(dirname "$0")"

[ -n "${TAUT-}" ] || (cd ../../.. && cargo build --quiet --release --locked -p taut-cli)
npm ci --silent --no-audit --no-fund
node -e 'import("./browser.mjs").then(({ chromiumPath }) => process.exit(chromiumPath() ? 0 : 1))' ||
    npx playwright-core install --with-deps chromium-headless-shell
npm test --silent
