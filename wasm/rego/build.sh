#!/bin/sh
# Rebuilds the policy compiler from source; the same toolchain gives the same bytes everywhere.
# Usage: build.sh            rewrites compiler.wasm.br and compiler.wasm.sha256
#        build.sh --digest   only prints the SHA-256 of a fresh build
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOTOOLCHAIN=go1.26.8 GOFLAGS= GOOS=wasip1 GOARCH=wasm CGO_ENABLED=0 \
  go build -mod=readonly -trimpath -buildvcs=false -ldflags="-s -w" -o "$work/compiler.wasm" .
digest=$(sha256sum "$work/compiler.wasm" | cut -d' ' -f1)
if [ "${1:-}" = "--digest" ]; then
  echo "$digest"
  exit 0
fi
node -e '
  const { readFileSync, writeFileSync } = require("node:fs");
  const { brotliCompressSync, constants } = require("node:zlib");
  const bytes = readFileSync(process.argv[1]);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync("compiler.wasm.br", brotliCompressSync(bytes, { params }));
' "$work/compiler.wasm"
echo "$digest" >compiler.wasm.sha256
echo "compiler.wasm.br: $digest"
