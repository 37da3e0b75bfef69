"""Changes the sources, and checks that the tests notice each change; see `mutate --help`."""

import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import sites as syntax

HELP = """\
Changes the sources in one place at a time (a mutant), runs the smallest relevant tests, and reports each change that no test
notices (a survivor). All mutants are compiled into one build, and an environment variable selects the one to run.

Operators: boundary (< to <=, the end of a range), comparison (== to !=), logic (&& to ||, !a to a), arithmetic, bits, constant
(numbers, Booleans and strings without spaces), condition (always true or false), statement (removed), and arguments (two of the
same type swapped). Not mutated: conditions with bindings, declarations, messages for people, mirrors, reserved capacities, the
hardware kernels, which Tests/Proof/prove proves, the detection of the processor, the lanes of a batch on a processor without
AVX-512, and changes that do not compile. Of a table of numbers, four are mutated, and of a group, at most 150 places.

A mutant is killed if a test fails, the tests crash, or they exceed three times the usual processor time. The results are kept in
.build-mutation until a source, a test or a mutant changes, so that a second run continues the first.

For each survivor, the script prints the file, the line, the operator, the old text and the new text. Tests/Mutation/survivors
lists survivors that need no test, with the reason.

Exit codes: 0 every survivor is listed, a mutant of each group is killed and, if all mutants ran, at least 95 % are killed;
1 otherwise; 2 usage; 3 the build or the tests without a mutant fail.
"""

WORK = Path(".build-mutation").absolute()
COPY = WORK / "package"
MODULES = WORK / "modules"
LISTED = Path("Tests/Mutation/survivors")
REQUIRED = 95
# The most mutants of a group, so that all of them run in less than 40 minutes.
MOST = 150
CLIENT, MESSAGES, BACKEND = "Sources/NotificationHubs/Client/", "Sources/NotificationHubs/Messages/", "Sources/PushBackend/"
JSON, XML = "Sources/NotificationHubs/JSON/", "Sources/NotificationHubs/XML/"

# A machine shows only one result of the detection, which `.ci/run` compares with the operating system's.
UNTESTED = ["Sources/HubCrypto/Kernels/Processor.swift"]
# Without AVX-512, a batch uses at most two of the sixteen lanes.
if "avx512bw" not in Path("/proc/cpuinfo").read_text():
    UNTESTED.append("Sources/HubCrypto/Batch/Lanes.swift")


class Group:
    """Sources and the tests that must notice their mutants. The first tests, without the slow ones, kill most mutants."""

    def __init__(self, name, sources, tests, first="", slow=""):
        self.name, self.sources, self.tests, self.first, self.slow = name, sources, tests, first, slow
        self.seconds = self.processor = 0

    def contains(self, path):
        return path.endswith(".swift") and path not in UNTESTED and any(path.startswith(source) for source in self.sources)


GROUPS = [
    Group("crypto", ["Sources/HubCrypto/", "Sources/HubCryptoKernels/Portable/"], r"^HubCryptoTests\.",
        r"^HubCryptoTests\.", r"NIST|2\^32|three-way|random|every length"),
    Group("sas", ["Sources/SharedAccessSignature/"], r"^SharedAccessSignatureTests\."),
    Group(
        "retry", [CLIENT + "RetryPolicy.swift", CLIENT + "HubCall.swift"],
        r"^NotificationHubsTests\.", r"^NotificationHubsTests\.(RetryState|Call|Token|Limit)Tests/"),
    Group(
        "tags", [MESSAGES + "TagExpression"],
        r"^NotificationHubsTests\.", r"^NotificationHubsTests\.(TagExpression|Target)Tests/", r"everyone|long chain|hostile|random"),
    Group(
        "documents",
        [JSON + name for name in ("JSONReader.swift", "JSONMemberReader.swift", "JSONObject.swift")]
        + [XML + name for name in ("XMLReader.swift", "ElementReader.swift", "XMLElement.swift")],
        r"^NotificationHubsTests\.", r"^NotificationHubsTests\.(XML|JSON|Installation|Registration)"),
    Group(
        "access",
        [BACKEND + name for name in ("AppBackend", "Route.swift", "Users/", "Payloads/SecurePayload.swift", "JSONBody.swift")],
        r"^PushBackendTests\.", r"^PushBackendTests\.", r"AccessTests/|UserKeyTests/|PayloadStoreTests/|concurrent|similar name"),
]  # fmt: skip
TEST_TARGETS = ["HubCryptoTests", "SharedAccessSignatureTests", "NotificationHubsTests", "PushBackendTests"]


def fail(message):
    print(f"mutate: {message}", file=sys.stderr)
    sys.exit(3)


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Package:
    """The targets of the package that the tests need, dependencies first."""

    def __init__(self):
        description = output("swift", "package", "--scratch-path", str(WORK / "description"), "dump-package")
        self.all = {target["name"]: target for target in json.loads(description)["targets"]}
        self.needed = []
        for name in TEST_TARGETS:
            self.need(name)

    def need(self, name):
        if name not in self.needed:
            for dependency in self.all[name]["dependencies"]:
                self.need(next(iter(dependency.values()))[0])
            self.needed.append(name)

    def folder(self, name):
        return self.all[name].get("path") or f"Sources/{name}"

    def modules(self):
        """Returns the modules with mutants and the modules that they import."""
        whole, self.needed = self.needed, []
        for name in whole:
            if self.mutated(name):
                self.need(name)
        names, self.needed = self.needed, whole
        return names

    def mutated(self, name):
        return any(source.startswith(self.folder(name) + "/") for group in GROUPS for source in group.sources)

    def files(self, name, paths):
        return [path for path in paths if path.startswith(self.folder(name) + "/") and path.endswith(".swift")]


class Mutants:
    """The mutants of the sources, and a package in which one of them can be selected at run time."""

    def __init__(self, package):
        self.package = package
        self.paths = output("git", "ls-files", "-co", "--exclude-standard").splitlines()
        self.paths = sorted(path for path in self.paths if os.path.isfile(path))
        self.files, self.sites = {}, []

    def digest(self):
        """Returns a digest of everything that decides whether the tests notice a mutant."""
        digest = hashlib.sha256(output("swiftc", "--version").encode())
        for path in self.paths:
            if re.match(r"Sources/|Fixtures/|Tests/.*\.swift$|Package\.swift$|Tests/Mutation/sites\.py$", path):
                digest.update(f"{path}\0".encode() + hashlib.sha256(Path(path).read_bytes()).digest())
        for site in self.sites:
            digest.update(f"{site.file}\0{site.start}\0{site.end}\0".encode() + site.new)
        return digest.hexdigest()[:16]

    def compiler(self, name, mode, *options):
        """Returns a command that compiles a module with the target's settings."""
        command = ["swiftc", *mode, "-module-name", name, "-package-name", "package", "-swift-version", "6", "-parse-as-library",
                   "-suppress-warnings", "-DHardwareKernels", "-I", str(MODULES), *options]  # fmt: skip
        for setting in self.package.all[name]["settings"]:
            for kind, value in setting["kind"].items():
                if kind in ("enableUpcomingFeature", "enableExperimentalFeature"):
                    command += [re.sub("enable(.*)Feature", r"-enable-\1-feature", kind).lower(), value["_0"]]
        return command

    def find(self):
        """Finds the sites in the type-checked syntax tree."""
        shutil.rmtree(MODULES, ignore_errors=True)
        MODULES.mkdir(parents=True)
        for name in self.package.modules():
            files = self.package.files(name, self.paths)
            options = ["-emit-module", "-emit-module-path", str(MODULES / f"{name}.swiftmodule"), *files]
            subprocess.run(
                self.compiler(name, [], "-Xfrontend", "-experimental-skip-all-function-bodies", *options), check=True)
            chosen = [path for path in files if any(group.contains(path) for group in GROUPS)]
            if not chosen:
                continue
            arguments = []
            for index, path in enumerate(chosen):
                arguments += ["-primary-file", path, "-o", str(WORK / f"tree-{index}")]
            arguments += [path for path in files if path not in chosen]
            mode = ["-frontend", "-dump-ast", "-dump-ast-format", "json"]
            subprocess.run(self.compiler(name, mode, *arguments), check=True)
            for index, path in enumerate(chosen):
                tree = WORK / f"tree-{index}"
                self.files[path] = syntax.parse_dump(path, Path(path).read_bytes(), tree.read_bytes())
                tree.unlink()
        for path in sorted(self.files):
            self.sites += sorted(self.files[path].sites.values(), key=lambda site: (site.start, -site.end))
        for site in self.sites:
            site.group = next(group for group in GROUPS if group.contains(site.file))
        self.sites = [site for group in GROUPS for site in self.some(group)]
        for number, site in enumerate(self.sites, 1):
            site.number = number
        self.left_out = set()

    def some(self, group):
        """Returns at most MOST sites of a group. A digest chooses them, so that a change of the sources keeps the other ones."""
        own = [site for site in self.sites if site.group is group]
        chosen = sorted(own, key=lambda site: hashlib.sha256(repr(self.entry(site)).encode()).digest())[:MOST]
        return sorted(chosen, key=own.index)

    def entry(self, site):
        """Returns the file, the old and the new text of a site."""
        _, old, new = self.files[site.file].describe(site)
        return site.file, old, new or "(removed)"

    def write(self):
        """Writes the package with the mutants. Files without changes keep their dates, so that builds are incremental."""
        wanted = {path: Path(path).read_bytes() for path in self.paths}
        kept = json.dumps(self.package.needed)
        wanted["Package.swift"] += f"\npackage.products = []\npackage.targets.removeAll {{ !{kept}.contains($0.name) }}\n".encode()
        self.spans = {}
        for path, file in self.files.items():
            chosen = [site for site in self.sites if site.file == path and site.number not in self.left_out]
            wanted[path], spans = file.rewritten(chosen)
            self.spans[path] = syntax.Spans(wanted[path], spans)
            self.left_out |= {site.number for site in chosen} - {site.number for _, _, site in spans}
        for name in self.package.modules():
            if self.package.mutated(name):
                # In one of the files, because the portable kernel would otherwise not inline it.
                wanted[min(self.package.files(name, self.files))] += syntax.SELECTOR.encode()
        for path in list(COPY.rglob("*")):
            if path.is_file() and str(path.relative_to(COPY)) not in wanted and ".build" not in path.parts:
                path.unlink()
        for path, text in wanted.items():
            target = COPY / path
            if not target.exists() or target.read_bytes() != text:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text)
                shutil.copymode(path, target) if os.path.exists(path) else None
        return wanted

    def leave_out(self, errors):
        """Leaves out the mutants at the compiler's errors."""
        found, moved = set(), False
        pattern = r"^(?:.*?/package/)?([^\s:]+\.swift):(\d+):(\d+): error: (.*)"
        for path, line, column, message in re.findall(pattern, errors, re.MULTILINE):
            near = self.spans[path].at(int(line), int(column), message) if path in self.spans else []
            closed = [site for site in near if site.can_be_closure] if "reasonable time" in message else []
            for site in closed:
                site.in_closure = moved = True
            found |= {site.number for site in near} if not closed else set()
        found -= self.left_out
        if not found and not moved:
            print(errors[-4000:], file=sys.stderr)
            fail("the package with the mutants does not compile")
        self.left_out |= found

    def check(self):
        """Leaves out mutants until the modules with mutants compile."""
        mode = ["-frontend", "-emit-sil", "-solver-expression-time-threshold=4"]

        def compile(name):
            command = self.compiler(name, mode, "-o", "/dev/null", *self.package.files(name, wanted))
            return subprocess.run(command, cwd=COPY, capture_output=True, text=True)

        names = [name for name in self.package.modules() if self.package.mutated(name)]
        while names:
            wanted = list(self.write())
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                runs = list(pool.map(compile, names))
            names = [name for name, run in zip(names, runs) if run.returncode]
            for run in runs:
                if run.returncode:
                    self.leave_out(run.stderr)

    def build(self):
        while True:
            self.write()
            command = ["swift", "build", "--build-tests", "--package-path", str(COPY), "--scratch-path", str(WORK / "build")]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode == 0:
                break
            self.leave_out(run.stdout + run.stderr)
        folder = output(*command, "--show-bin-path").strip()
        self.bundle = next(Path(folder).glob("*.xctest"))


class Results:
    """The results so far of the same sources, tests and script, one JSON object per line."""

    def __init__(self, digest, fresh):
        self.path = WORK / f"results-{digest}"
        for path in WORK.glob("results-*"):
            if fresh or path != self.path:
                path.unlink()
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.killed = {number: reason for number, reason in map(json.loads, lines)}
        self.lock = threading.Lock()

    def add(self, number, reason):
        with self.lock, open(self.path, "a") as file:
            self.killed[number] = reason
            file.write(json.dumps([number, reason]) + "\n")


class Run:
    """A run of a group's tests, with or without a mutant."""

    running = set()

    def __init__(self, bundle, group, number=0, fast=False):
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "HUB_MUTANT": str(number)}
        processor = int(3 * group.processor) + 5 if number else 600
        self.limit = 10 * group.seconds + 30 if number else 600

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 5))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        before = time.monotonic()
        command = [bundle, "--testing-library", "swift-testing", "--filter", group.first if fast else group.tests]
        self.process = subprocess.Popen(
            command + (["--skip", group.slow] if fast and group.slow else []), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, cwd=COPY, env=environment, start_new_session=True, preexec_fn=limits)  # fmt: skip
        Run.running.add(self.process.pid)
        self.reason = None
        timer = threading.Timer(self.limit, self.stop, ["time"])
        timer.start()
        self.tail = []
        for line in self.process.stdout:
            line = line.decode(errors="replace")
            self.tail = self.tail[-20:] + [line]
            # The rest of the tests need not run.
            if number and re.search(r"recorded an issue|failed after", line):
                self.stop("test")
                break
        self.process.stdout.close()
        self.process.wait()
        Run.running.discard(self.process.pid)
        timer.cancel()
        self.seconds = time.monotonic() - before
        passed = re.search(r"Test run with (\d+) tests?.* passed", "".join(self.tail))
        if self.process.returncode == 0 and passed and int(passed[1]) > 0:
            self.reason = None
        elif not self.reason:
            self.reason = "time" if self.process.returncode == -signal.SIGXCPU else "crash"

    def stop(self, reason):
        self.reason = self.reason or reason
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def listed():
    """Returns the survivors that need no test: the file, the old and the new text, and the reason of each."""
    entries = {}
    if LISTED.exists():
        for block in re.sub(r"^#.*\n", "", LISTED.read_text(), flags=re.MULTILINE).strip().split("\n\n"):
            path, old, new, *reason = block.split("\n")
            entries[path, old[2:], new[2:]] = " ".join(line.strip() for line in reason)
    return entries


def sample(sites, count, seed):
    """Returns sites drawn from all groups in turn."""
    source = random.Random(seed)
    queues = [[site for site in sites if site.group is group] for group in GROUPS]
    for queue in queues:
        source.shuffle(queue)
    drawn = []
    while len(drawn) < count and any(queues):
        for queue in queues:
            if queue and len(drawn) < count:
                drawn.append(queue.pop())
    return drawn


def report(mutants, chosen, results, is_full):
    """Prints the survivors and the counts, and returns whether the result is sufficient."""
    reasons, unlisted = listed(), 0
    for site in chosen:
        if results.killed[site.number]:
            continue
        line, entry = mutants.files[site.file].describe(site)[0], mutants.entry(site)
        unlisted += entry not in reasons
        state = f"listed: {reasons[entry]}" if entry in reasons else "not listed"
        print(f"\n{site.file}:{line}: mutant {site.number}, {site.operator}, {state}\n- {entry[1]}\n+ {entry[2]}")
    print(f"\n{'group':8} {'mutants':>7} {'killed':>7} {'':>7}")
    idle, total, dead = [], 0, 0
    for group in GROUPS:
        own = [site for site in chosen if site.group is group]
        killed = sum(results.killed[site.number] is not None for site in own)
        total, dead = total + len(own), dead + killed
        if own:
            print(f"{group.name:8} {len(own):7} {killed:7} {100 * killed / len(own):6.1f}%")
        if own and not killed:
            idle.append(group.name)
    percent = 100 * dead / max(total, 1)
    counts = {kind: sum(results.killed[site.number] == kind for site in chosen) for kind in ("test", "crash", "time")}
    print(f"{'total':8} {total:7} {dead:7} {percent:6.1f}%")
    print(f"by a failed test {counts['test']}, a crash {counts['crash']}, the time limit {counts['time']}; "
          f"survivors not listed: {unlisted}; not compiled: {len(mutants.left_out)} of {len(mutants.sites)}")  # fmt: skip
    survivors = {mutants.entry(site) for site in chosen if results.killed[site.number] is None}
    for path, old, new in sorted(set(reasons) - survivors) if is_full else []:
        if path not in UNTESTED:
            print(f"listed, but not a survivor: {path}\n- {old}\n+ {new}")
    for name in idle:
        print(f"{name}: no mutant was killed")
    return (percent >= REQUIRED or not is_full) and not unlisted and not idle


def keep(mutants, state):
    """Keeps which mutants compile."""
    for path in WORK.glob("compiled-*"):
        path.unlink()
    state.write_text(json.dumps([sorted(mutants.left_out), [site.number for site in mutants.sites if site.in_closure]]))


def main():
    parser = argparse.ArgumentParser(
        prog="mutate", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of the sample (default: 1)")
    parser.add_argument("--count", type=int, metavar="N", help="the number of mutants, drawn from all groups (default: all)")
    parser.add_argument("--group", choices=[group.name for group in GROUPS], action="append", help="only this group; repeatable")
    parser.add_argument("--mutant", type=int, metavar="N", action="append", help="only this mutant; repeatable")
    parser.add_argument("--list", action="store_true", help="print the mutants, and run none")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    options = parser.parse_args()

    WORK.mkdir(exist_ok=True)
    mutants = Mutants(Package())
    started = time.monotonic()
    mutants.find()
    digest = mutants.digest()
    state = WORK / f"compiled-{digest}"
    if state.exists():
        mutants.left_out, closed = map(set, json.loads(state.read_text()))
        for site in mutants.sites:
            site.in_closure = site.number in closed
    else:
        mutants.check()
        keep(mutants, state)
    if not options.list or not state.exists():
        mutants.build()
        keep(mutants, state)
    print(f"build: {time.monotonic() - started:.0f} s, {len(mutants.sites) - len(mutants.left_out)} mutants", flush=True)

    chosen = [site for site in mutants.sites if site.number not in mutants.left_out]
    chosen = [site for site in chosen if not options.group or site.group.name in options.group]
    chosen = [site for site in chosen if not options.mutant or site.number in options.mutant]
    if options.count is not None:
        chosen = sample(chosen, options.count, options.seed)
    chosen.sort(key=lambda site: site.number)
    if options.list:
        for site in chosen:
            line, old, new = mutants.files[site.file].describe(site)
            print(f"{site.file}:{line}: mutant {site.number}, {site.operator}\n- {old}\n+ {new or '(removed)'}")
        return 0

    results = Results(digest, options.fresh)
    todo = [site for site in chosen if site.number not in results.killed]
    for group in GROUPS:
        if any(site.group is group for site in todo):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            run = Run(mutants.bundle, group)
            group.processor = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            if run.reason:
                print("".join(run.tail), file=sys.stderr)
                fail(f"{group.name}: the tests fail without a mutant")
            group.seconds = run.seconds
            print(f"{group.name}: {run.seconds:.1f} s for the tests without a mutant", flush=True)

    def interrupt(*_):
        # The lock stays locked, so that no killed run counts.
        results.lock.acquire()
        for process in list(Run.running):
            os.killpg(process, signal.SIGKILL)
        os._exit(130)

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)

    def test(site):
        reason = site.group.first and Run(mutants.bundle, site.group, site.number, fast=True).reason
        results.add(site.number, reason or Run(mutants.bundle, site.group, site.number).reason)

    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for future in [pool.submit(test, site) for site in todo]:
            future.result()
    print(f"{len(todo)} mutants run in {time.monotonic() - started:.0f} s")
    return 0 if report(mutants, chosen, results, is_full=not (options.group or options.mutant or options.count)) else 1


if __name__ == "__main__":
    sys.exit(main())
