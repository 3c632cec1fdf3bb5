#!/bin/sh
# The documentation site: pages from docs/ and the C interface from the public headers.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
mkdocs build --quiet --strict
(cat <<END
PROJECT_NAME = Amble
INPUT = include/amble README.md
USE_MDFILE_AS_MAINPAGE = README.md
OUTPUT_DIRECTORY = build/docs
HTML_OUTPUT = api
GENERATE_LATEX = NO
OPTIMIZE_OUTPUT_FOR_C = YES
JAVADOC_AUTOBRIEF = YES
EXTRACT_ALL = YES
QUIET = YES
PREDEFINED = AM_API= AM_PRINTF(x,y)=
MACRO_EXPANSION = YES
END
) | doxygen - >/dev/null
echo "documentation: build/docs/index.html, C interface: build/docs/api/index.html"
