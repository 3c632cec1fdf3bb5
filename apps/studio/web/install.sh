#!/bin/sh
# What the page needs from npm, into node_modules: again only when the lockfile or this file changed. The mannequin is
# one file of a package whose dependencies are not needed, so it is taken out of the packed tarball; without it (no
# network, another checksum) the page has its own figure.
set -eu
cd "$(dirname "$0")"
stamp() { cat package-lock.json install.sh | cksum; }
[ "$(stamp)" = "$(cat node_modules/.installed 2>/dev/null)" ] && exit 0
npm ci --ignore-scripts --no-audit --no-fund --silent

mannequin=@pmndrs/viverse@0.2.20
sum=ab7e57c0a522c918073bccd09df001094fb792ee5a6c29363d71fda63f475afedc3c8ec6afc75cfc52c628352fdc38a4cfd77e738fe938a9d1320809d84b92fe
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if (cd "$folder" && npm pack "$mannequin" --silent >/dev/null 2>&1) && [ "$(cat "$folder"/*.tgz | sha512sum | cut -d' ' -f1)" = "$sum" ]; then
    mkdir -p node_modules/mannequin
    tar -xzf "$folder"/*.tgz -C node_modules/mannequin --strip-components=1 package/LICENSE package/dist/assets/mannequin.js
else
    echo "install: the mannequin could not be had; the page does without" >&2
fi
stamp >node_modules/.installed
