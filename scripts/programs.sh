#!/usr/bin/env bash
# Prints the programs in a language that a page in Markdown has.
#
#   scripts/programs.sh LANGUAGE FILE
set -euo pipefail
awk -v open="\`\`\`$1" '$0 == "```" { on = 0 } on { print } $0 == open { on = 1 }' "$2"
