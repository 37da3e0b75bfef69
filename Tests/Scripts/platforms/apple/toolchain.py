"""The modules that the compiler finds on an Apple platform: those of the toolchain, Darwin, and the stubs."""

import glob
import os
import shutil
import subprocess
import zipfile

from build import Task
from interfaces import adapt

HERE = os.path.dirname(os.path.realpath(__file__))
ZIGLANG = "ziglang==0.17.0"
PIP = "pip==26.3"

# Each module of the toolchain with the modules that it imports.
INTERFACES = {
    "Swift": [],
    "SwiftOnoneSupport": ["Swift"],
    "_Builtin_float": ["SwiftOnoneSupport"],
    "_Concurrency": ["SwiftOnoneSupport"],
    "_RegexParser": ["SwiftOnoneSupport"],
    "_StringProcessing": ["_RegexParser"],
    "Darwin": ["_Builtin_float", "_Concurrency", "_StringProcessing"],
    "Testing": ["_Concurrency", "_StringProcessing"],
}
STUBS = {"ObjectiveC": ["Darwin"], "Dispatch": ["ObjectiveC"], "Foundation": ["Dispatch"]}

# How to compile the interface of a module.
ACTIONS = {
    "": ["-compile-module-from-interface"],
    "Swift": ["-compile-module-from-interface", "-parse-stdlib"],
    "_Concurrency": ["-compile-module-from-interface", "-disable-availability-checking"],
    # The other action does not pass the options for headers on.
    "Darwin": ["-emit-module", "-import-underlying-module", "-enable-library-evolution", "-swift-version", "5"],
}


class Toolchain:
    """The compiler, its interfaces, and Darwin's headers."""

    def __init__(self, work):
        root = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("swiftc"))))
        self.frontend = os.path.join(root, "bin/swift-frontend")
        self.libraries = os.path.join(root, "lib/swift")
        self.plugins = os.path.join(self.libraries, "host/plugins")
        self.clang_headers = glob.glob(os.path.join(root, "lib/clang/*/include"))[0]
        compiler = subprocess.run(["swiftc", "--version"], capture_output=True, text=True, check=True).stdout
        # Part of the inputs of each task.
        self.version = compiler + ZIGLANG + contents(sorted(glob.glob(os.path.join(HERE, "Headers/*"))))
        self.headers = os.path.join(headers(work), "ziglang/lib/libc/include/any-darwin-any")
        self.resources = os.path.join(work, "resources")
        self.sdk = os.path.join(work, "sdk")
        os.makedirs(self.resources, exist_ok=True)
        os.makedirs(self.sdk, exist_ok=True)
        for name in ["clang", "shims"]:
            link = os.path.join(self.resources, name)
            if not os.path.islink(link):
                os.symlink(os.path.join(self.libraries, name), link)

    def interface(self, module):
        """Returns the text of a module's interface for this machine."""
        files = glob.glob(os.path.join(self.libraries, f"linux/{module}.swiftmodule/*-linux-gnu.swiftinterface"))
        with open(files[0], encoding="utf-8") as file:
            return file.read()

    def options(self, platform):
        """Returns the options of each compilation for a platform."""
        clang = ["-nostdinc", "-isystem", self.clang_headers, "-isystem", self.headers]
        return [
            "-target", platform.triple, "-resource-dir", self.resources, "-sdk", self.sdk, "-I", os.path.join(HERE, "Headers"),
            *(word for option in clang for word in ("-Xcc", option)),
        ]

    def tasks(self, platform, cache):
        """Returns a task for each module by its name."""
        tasks = {}
        for name, imports in INTERFACES.items():
            tasks[name] = self.interface_task(platform, cache, name, [tasks[module] for module in imports])
        for name, imports in STUBS.items():
            tasks[name] = self.stub_task(platform, cache, name, [tasks[module] for module in imports])
        return tasks

    def interface_task(self, platform, cache, name, imports):
        text = adapt(name, self.interface("Glibc" if name == "Darwin" else name), platform.triple, platform.has_bodies)
        path = cache.write(f"{name}.swiftinterface", text)
        command = [self.frontend, *ACTIONS.get(name, ACTIONS[""]), "-module-name", name, *self.options(platform), path]
        return Task(f"{platform.name} {name}", command, imports, text + self.version, output=f"{name}.swiftmodule")

    def stub_task(self, platform, cache, name, imports):
        path = os.path.join(HERE, "Stubs", name)
        files = sorted(glob.glob(path + "/*.swift")) or [path + ".swift"]
        clang = ["-import-underlying-module"] if name == "ObjectiveC" else []
        command = [
            self.frontend, "-emit-module", "-parse-as-library", "-module-name", name, "-swift-version", "5",
            "-enable-library-evolution", "-experimental-skip-non-inlinable-function-bodies",
            "-disable-objc-attr-requires-foundation-module", *clang, *self.options(platform), *files,
        ]
        return Task(f"{platform.name} {name}", command, imports, contents(files) + self.version, output=f"{name}.swiftmodule")


def headers(work):
    """Downloads and extracts Darwin's headers. Returns their folder."""
    folder = os.path.join(work, ZIGLANG)
    if not os.path.isdir(folder):
        download = os.path.join(work, "download")
        python = subprocess.run(["Tests/Scripts/project/python-with", "pip", PIP], capture_output=True, text=True, check=True).stdout.strip()
        subprocess.run([python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", download, ZIGLANG], check=True)
        with zipfile.ZipFile(glob.glob(download + "/*.whl")[0]) as wheel:
            members = [name for name in wheel.namelist() if "/include/any-darwin-any/" in name]
            wheel.extractall(folder + ".part", members)
        os.rename(folder + ".part", folder)
        shutil.rmtree(download)
    return folder


def contents(files):
    """Returns the contents of files, with their names."""
    texts = []
    for path in files:
        with open(path, encoding="utf-8") as file:
            texts.append(f"{os.path.basename(path)}\n{file.read()}")
    return "\n".join(texts)
