"""The targets of the package, with the compiler's options, from the manifest."""

import json
import os
import re
import subprocess

from build import Task
from toolchain import contents

# The first part of each triple, and the name of the system in it.
SYSTEMS = {
    "macos": ("arm64", "macosx"), "ios": ("arm64", "ios"), "tvos": ("arm64", "tvos"), "watchos": ("arm64_32", "watchos"),
    "visionos": ("arm64", "xros"),
}


class Platform:
    """A platform of the manifest, with its oldest version."""

    def __init__(self, system, version, architecture=None):
        default, name = SYSTEMS[system]
        self.system = system
        self.name = f"{system}-{architecture}" if architecture else system
        self.triple = f"{architecture or default}-apple-{name}{version}"
        # Only here does Int have 32 bits, so that numbers overflow that do not on Linux.
        self.has_bodies = system == "watchos"


def manifest(root, work):
    """Returns the evaluated manifest."""
    command = ["swift", "package", "--scratch-path", os.path.join(work, "manifest"), "dump-package"]
    return json.loads(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout)


class Package:
    def __init__(self, root, manifest):
        self.root = root
        self.name = manifest["name"].replace("-", "_")
        self.language = manifest["swiftLanguageVersions"][0]
        versions = {p["platformName"]: p["version"] for p in manifest["platforms"]}
        platforms = [*(Platform(*item) for item in versions.items()), Platform("macos", versions["macos"], "x86_64")]
        self.platforms = {platform.name: platform for platform in platforms}
        defaults = next((t["enabledTraits"] for t in manifest["traits"] if t["name"] == "default"), [])
        self.traits = list(defaults)
        # Some settings depend on the environment.
        defined = re.findall(r'\.define\("(\w+)"', contents([os.path.join(root, "Package.swift")]))
        self.flags = {"DEBUG", "SWIFT_PACKAGE", *defined, *(t["name"] for t in manifest["traits"])}
        self.targets = {target["name"]: target for target in manifest["targets"]}
        self.libraries = [name for product in manifest["products"] if "library" in product["type"] for name in product["targets"]]

    def selected(self, platform):
        """Returns the targets to check for a platform: all for macOS and iOS, and libraries for the others. For another processor, those
        that depend on it."""
        if platform.name in ("macos", "ios"):
            return list(self.targets)
        if platform.name == "macos-x86_64":
            return [name for name, target in self.targets.items() if target["type"] != "test" and self.has_architectures(name)]
        return self.libraries

    def has_architectures(self, name):
        """Returns whether a target's code depends on the processor."""
        return re.search(r"^\s*#(else)?if\b.*\barch\(", contents(os.path.join(self.root, f) for f in self.sources(name)), re.MULTILINE)

    def dependencies(self, name):
        for dependency in self.targets[name]["dependencies"]:
            kind, (target, *_) = next(iter(dependency.items()))
            assert kind in ("byName", "target"), f"unexpected dependency of {name}: {dependency}"
            yield target

    def closure(self, name):
        """Returns a target and all targets that it depends on, dependencies first."""
        return list(dict.fromkeys([*(t for d in self.dependencies(name) for t in self.closure(d)), name]))

    def path(self, name):
        target = self.targets[name]
        return target.get("path") or os.path.join("Tests" if target["type"] == "test" else "Sources", name)

    def sources(self, name):
        found = []
        for folder, folders, files in os.walk(os.path.join(self.root, self.path(name))):
            folders[:] = sorted(f for f in folders if not f.endswith(".docc"))
            found += [os.path.relpath(os.path.join(folder, f), self.root) for f in sorted(files) if f.endswith(".swift")]
        excluded = [os.path.join(self.path(name), e) for e in self.targets[name]["exclude"]]
        return [f for f in found if not any(f == e or f.startswith(e + "/") for e in excluded)]

    def options(self, name, platform):
        """Returns the compiler's options for a target in a debug build."""
        target = self.targets[name]
        options = ["-swift-version", self.language, "-enable-testing", "-Onone", "-D", "DEBUG", "-D", "SWIFT_PACKAGE"]
        if target["packageAccess"]:
            options += ["-package-name", self.name]
        for trait in self.traits:
            options += ["-D", trait]
        for setting in target["settings"]:
            condition = setting.get("condition", {})
            names = condition.get("platformNames", [])
            if setting["tool"] != "swift" or condition.get("config") == "release" or names and platform.system not in names:
                continue
            kind, value = next(iter(setting["kind"].items()))
            options += {
                "define": lambda v: ["-D", v["_0"]],
                "enableExperimentalFeature": lambda v: ["-enable-experimental-feature", v["_0"]],
                "enableUpcomingFeature": lambda v: ["-enable-upcoming-feature", v["_0"]],
                "strictMemorySafety": lambda v: ["-strict-memory-safety"],
                "unsafeFlags": lambda v: v["_0"],
            }[kind](value)
        return options

    def resources(self, name, cache):
        """Returns a file that declares the resources to embed, as SwiftPM generates it."""
        names = [r["path"] for r in self.targets[name]["resources"] if "embedInCode" in r["rule"]]
        if not names:
            return []
        lines = [f"    static let {os.path.basename(n).replace('.', '_').replace('-', '_')}: [UInt8] = [0]" for n in names]
        return [cache.write("embedded_resources.swift", "\n".join(["struct PackageResources {", *lines, "}", ""]))]

    def tasks(self, platform, names, toolchain, cache):
        """Returns the tasks that check targets."""
        system = toolchain.tasks(platform, cache)
        tasks = {}
        for name in dict.fromkeys(t for n in names for t in self.closure(n)):
            files = self.sources(name)
            generated = self.resources(name, cache)
            library = [] if any(os.path.basename(f) == "main.swift" for f in files) else ["-parse-as-library"]
            modules = [system["Foundation"], system["Testing"]]
            module = name.replace("-", "_")
            is_test = self.targets[name]["type"] == "test"
            command = [
                toolchain.frontend, "-typecheck" if is_test else "-emit-module", "-module-name", module, "-diagnostic-style", "llvm",
                "-plugin-path", toolchain.plugins, *library, *self.options(name, platform), *toolchain.options(platform),
                *generated, *files,
            ]
            tasks[name] = Task(
                f"{platform.name} {name}", command, [*modules, *(tasks[d] for d in self.dependencies(name))],
                contents([os.path.join(self.root, f) for f in files]) + toolchain.version,
                "" if is_test else f"{module}.swiftmodule")
        return tasks
