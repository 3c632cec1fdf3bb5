#!/bin/sh
# Installs the npm packages of the browser tests when they are missing or changed. Their install scripts do not run:
# onnxruntime-node's would fetch more, and what the package carries is enough.
set -eu
cd "$(dirname "$0")"
if ! cmp -s package-lock.json node_modules/.installed; then
    npm ci --ignore-scripts --no-audit --no-fund
    cp package-lock.json node_modules/.installed
fi
