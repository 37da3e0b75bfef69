"""Finds names in #if conditions that no compiler or platform knows. The compiler skips code behind such names without a warning."""

import os
import re
import subprocess

from toolchain import INTERFACES, STUBS

# Modules of other platforms.
MODULES = {"Android", "Musl", "WASILibc", "WinSDK"} | INTERFACES.keys() | STUBS.keys()
KNOWN = {
    "os": {"Android", "FreeBSD", "iOS", "Linux", "macOS", "OpenBSD", "tvOS", "visionOS", "WASI", "watchOS", "Windows"},
    "arch": {"arm", "arm64", "arm64_32", "i386", "wasm32", "x86_64"},
    "targetEnvironment": {"macCatalyst", "simulator"},
}
CONDITION = re.compile(r"^\s*#(?:else)?if\b(.*?)(?://.*)?$", re.MULTILINE)
TERM = re.compile(r"(\w+)\s*\(\s*([\w.]+)[^)]*\)|((?:compiler|swift)\s*\([^)]*\))|\b([A-Za-z_]\w*)\b")


def terms(text):
    """Yields the line, function and argument of each term; for a flag, the function is empty."""
    for match in CONDITION.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        for function, argument, version, flag in TERM.findall(match[1]):
            if not version and flag not in ("true", "false"):
                yield line, function, argument or flag


def unknown_to_compiler(terms, frontend, cache):
    """Returns the terms that are false for this compiler, such as features and attributes."""
    terms = sorted(terms)
    text = "".join(f"#if !{function}({name})\n#warning(\"{function}({name})\")\n#endif\n" for function, name in terms)
    path = cache.write("conditions.swift", text)
    output = subprocess.run([frontend, "-typecheck", "-parse-stdlib", path], capture_output=True, text=True).stderr
    return {term for term in terms if f"warning: {term[0]}({term[1]})" in output}


def check(package, files, toolchain, cache):
    """Yields a finding for each unknown name in the conditions of files."""
    installed = {name.partition(".")[0] for name in os.listdir(os.path.join(toolchain.libraries, "linux")) if name.endswith(".swiftmodule")}
    known = {**KNOWN, "": package.flags, "canImport": MODULES | installed | set(package.targets)}
    found = []
    for path in files:
        with open(os.path.join(package.root, path), encoding="utf-8") as file:
            found += [(path, *term) for term in terms(file.read())]
    asked = {term[2:] for term in found if term[2] in ("hasFeature", "hasAttribute")}
    unknown = unknown_to_compiler(asked, toolchain.frontend, cache) - LATER
    for path, line, function, name in found:
        if (function, name) in unknown or name not in known.get(function, {name}):
            yield f"{path}:{line}: error: unknown name in a condition: {function + '(' + name + ')' if function else name}"


# Unsupported by this compiler, but not by others.
LATER = {("hasFeature", "Embedded")}
