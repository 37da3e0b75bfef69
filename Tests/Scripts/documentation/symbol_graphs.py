"""Builds a package, and reads the symbol graphs of its libraries."""

import json
import os
import subprocess
import sys
import tempfile


def extracted(modules, module):
    """Returns the symbol graphs of a compiled module, including those of its extensions of other modules' types."""
    information = subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                "swift", "symbolgraph-extract", "-module-name", module, "-I", modules,
                "-target", json.loads(information)["target"]["triple"], "-minimum-access-level", "public",
                "-skip-synthesized-members", "-output-dir", folder,
            ],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        return [json.load(open(os.path.join(folder, name))) for name in sorted(os.listdir(folder))]


def symbols(graphs):
    """Returns the declarations in the sources. A symbol without a location is synthesized."""
    return [symbol for graph in graphs for symbol in graph["symbols"] if "location" in symbol]


def built(package):
    """Builds a package, and returns the symbol graphs of each module by library product. Exits with 1 if the build fails."""
    if subprocess.run(["swift", "build", "--package-path", package], stdout=sys.stderr).returncode:
        sys.exit(1)
    command = ["swift", "package", "--package-path", package, "dump-package"]
    manifest = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    modules = os.path.join(package, ".build/debug/Modules")
    return {
        product["name"]: {target: extracted(modules, target) for target in product["targets"]}
        for product in manifest["products"]
        if "library" in product["type"]
    }
