#!/usr/bin/env bash
# Builds the Python package (bindings/python), installs it into a virtual environment of its own, and
# runs its tests and the programs in README.md and docs/python.md.
#
#   scripts/bindings-python.sh            builds and checks
#   scripts/bindings-python.sh --bench    compares with NumPy: bindings/python/examples/numpy_loop.py
#
# Needs Python 3.10 or newer with venv, and a package index for maturin, NumPy and pytest. Without them the
# script says so, and the exit code is 3.
set -euo pipefail
cd "$(dirname "$0")/../bindings/python"

environment=target/venv
python=$environment/bin/python
if ! python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    printf 'skipped: no Python 3.10\n' >&2
    exit 3
fi
if ! "$python" -m pip --version >/dev/null 2>&1 && ! python3 -m venv --clear "$environment"; then
    printf 'skipped: Python cannot make a virtual environment (package python3-venv)\n' >&2
    exit 3
fi
if ! "$python" -m pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2' 'numpy>=1.25' 'pytest>=8'; then
    printf 'skipped: no package index\n' >&2
    exit 3
fi

# Without isolation, the build reuses the build folder of this checkout.
export PATH=$PWD/$environment/bin:$PATH
export MATURIN_PEP517_ARGS="${TAUT_FEATURES-} ${TAUT_PROFILE:+--profile $TAUT_PROFILE}" # TAUT_FEATURES=--no-default-features: the scalar kernel only, for a quick check
"$python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall .

if [ "${1-}" = --bench ]; then
    exec "$python" examples/numpy_loop.py
fi
"$python" -m pytest --quiet
for page in README.md docs/python.md; do
    ../../scripts/programs.sh python "../../$page" | "$python" -
done
