"""Faults to plant in a copy of the package, to show that the check finds them."""

import contextlib
import os
import shutil

SPAN = "func planted(_ bytes: [UInt8]) -> Int { bytes.span.count }"
WIDE = "func planted(_ number: Int) -> Int128 { Int128(number) }"

# Each fault is a platform, a target, the text of a new file in the target, and a part of the expected finding. The target Planted is
# new. Conditions are checked once, for no platform.
FAULTS = [
    ("macos", "HubText", SPAN, "'span' is only available in macOS 26.0"),
    ("ios", "HubText", SPAN, "'span' is only available in iOS 26.0"),
    ("macos", "HubText", "let planted = String(validating: [0x61 as UInt8], as: UTF8.self)", "only available in macOS 15.0"),
    ("ios", "HubText", WIDE, "'Int128' is only available in iOS 18.0"),
    ("tvos", "HubText", WIDE, "'Int128' is only available in tvOS 18.0"),
    ("visionos", "HubText", WIDE, "'Int128' is only available in visionOS 2.0"),
    ("macos", "HubText", 'import Darwin\nfunc planted() { _ = unsafe popen("true", "r") }', "'popen' is unavailable in Swift"),
    ("tvos", "HubText", "import Darwin\nfunc planted() { _ = fork() }", "'fork()' is unavailable"),
    ("macos", "HubText", "import Darwin\nfunc planted() { unsafe _NSGetEnviron().pointee[0] = nil }", "must be unwrapped"),
    ("watchos", "HubText", "let planted: Int = 5_000_000_000", "overflows when stored into 'Int'"),
    ("watchos", "HubText", "func planted() -> Int { 100_000 * 100_000 }", "results in an overflow"),
    ("macos", "HubText", "func planted() { let unused = 1 }", "warning: initialization of immutable value 'unused'"),
    ("macos", "HubText", "import HubLock", "no such module 'HubLock'"),
    ("macos", "HubText", "import Foundation\nfunc planted() { var n = 0; Thread { n += 1 }.start() }", "mutation of captured var 'n'"),
    ("macos-x86_64", "HubText", '#if arch(x86_64)\nlet planted: Int = ""\n#endif', "cannot convert value of type 'String'"),
    ("macos", "Planted", SPAN, "'span' is only available in macOS 26.0"),
    (None, "HubText", "#if canImport(Drawin)\n#endif", "canImport(Drawin)"),
    (None, "HubText", "#if DEBUG\n#elseif os(maxOS) && !arch(arm64)\n#endif", "os(maxOS)"),
    (None, "HubText", "#if compiler(>=6.2) && HardwareKernel\n#endif", "HardwareKernel"),
    (None, "HubText", "#if hasFeature(Embeded)\n#endif", "hasFeature(Embeded)"),
]


@contextlib.contextmanager
def planted(root, target, text):
    """Adds a fault to a copy of the package, and removes it at the end."""
    folder = os.path.join(root, "Sources", target)
    is_new = not os.path.isdir(folder)
    manifest = os.path.join(root, "Package.swift")
    with open(manifest, encoding="utf-8") as file:
        original = file.read()
    if is_new:
        os.mkdir(folder)
        with open(manifest, "w", encoding="utf-8") as file:
            file.write(original.replace("    targets: [\n", f'    targets: [\n        .target(name: "{target}"),\n', 1))
    with open(os.path.join(folder, "Planted.swift"), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    try:
        yield
    finally:
        os.remove(os.path.join(folder, "Planted.swift"))
        if is_new:
            shutil.rmtree(folder)
            with open(manifest, "w", encoding="utf-8") as file:
                file.write(original)
