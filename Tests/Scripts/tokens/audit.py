"""Checks the output of sas audit for CI systems: audit.py TOOL SCHEMA MEGABYTES

- SARIF is valid by the schema and has the results of --json.
- GitHub's annotations, parsed as GitHub's runner does, have the results of --json.
- The repository is clean.
- Generated text is clean in all formats, in little memory. The speed is printed.
- The pre-commit hook rejects a leak and accepts other content.
- The steps of action.yml write SARIF, annotations and the output "found".
"""

import gzip
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import urllib.parse

import jsonschema
import yaml

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
FORMATS = ("text", "json", "sarif", "github", "gitlab")
MAXIMUM_MEMORY = 64 << 20
failures = 0


def check(condition, text):
    """Counts and reports a failed condition."""
    global failures
    if not condition:
        failures += 1
        print(f"audit: failed: {text}", file=sys.stderr)


def audit(*arguments, folder=ROOT, status=None, environment=None):
    """Runs sas audit and returns its output."""
    result = subprocess.run([TOOL, "audit", *arguments], cwd=folder, capture_output=True, env=environment)
    if status is not None:
        check(result.returncode == status, f"{' '.join(arguments)}: status {result.returncode}: {result.stderr.decode()[-300:]}")
    return result.stdout.decode()


def unescape(text):
    """Decodes an annotation's text as the runner does: %25 last."""
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def annotation(line):
    """Parses a workflow command, `::NAME KEY=VALUE,KEY=VALUE::MESSAGE`; None for other lines."""
    if not line.startswith("::"):
        return None
    end = line.index("::", 2)
    name, _, properties = line[2:end].partition(" ")
    pairs = (item.split("=", 1) for item in properties.split(",") if item)
    return name, {key: unescape(value) for key, value in pairs}, unescape(line[end + 2:])


def reports(schema):
    """Compares SARIF and annotations with JSON."""
    with tempfile.TemporaryDirectory() as folder:
        # A name with characters that the formats escape, and columns after characters outside ASCII.
        name = "a,b:c%3A d\"é.txt"
        with open(os.path.join(ROOT, "Fixtures/audit/leaks-from-help.corpus"), encoding="utf-8") as file:
            text = re.sub("(?m)^", "é𝄞 ", file.read())
        for path, content in (("leaks", text), (name, "".join(text.splitlines(True)[:60]))):
            with open(os.path.join(folder, path), "w", encoding="utf-8", newline="") as file:
                file.write(content)
        expected = [json.loads(line) for line in audit("--json", ".", folder=folder, status=1).splitlines()]
        check(len(expected) > 180, f"only {len(expected)} secrets in the corpus")

        log = json.loads(audit("--format", "sarif", ".", folder=folder, status=1))
        errors = [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(log)]
        check(not errors, f"SARIF is invalid: {errors[:3]}")
        broken = json.loads(json.dumps(log))
        del broken["runs"][0]["results"][0]["message"]
        check(list(jsonschema.Draft7Validator(schema).iter_errors(broken)), "the schema accepts a result without a message")
        found = []
        for result in log["runs"][0]["results"]:
            place = result["locations"][0]["physicalLocation"]
            region = place["region"]
            found.append((result["ruleId"], urllib.parse.unquote(place["artifactLocation"]["uri"]), region["startLine"],
                          region["startColumn"], result["partialFingerprints"]["secret/v1"]))
        keys = ("kind", "file", "line", "column", "fingerprint")
        check(found == [tuple(item[key] for key in keys) for item in expected], "SARIF and JSON differ")
        rules = {rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}
        check({item[0] for item in found} <= rules, "a result without a rule")

        lines = audit("--format", "github", ".", folder=folder, status=1).splitlines()
        annotations = [item for item in map(annotation, lines) if item]
        found = [(item[1]["file"], int(item[1]["line"]), int(item[1]["col"]), item[2][-16:]) for item in annotations[:-1]]
        keys = ("file", "line", "column", "fingerprint")
        check(found == [tuple(item[key] for key in keys) for item in expected[:10]], "annotations and JSON differ")
        check(annotations[-1][0] == "notice" and str(len(expected)) in annotations[-1][2], "the count is missing")
        print(f"SARIF and annotations: {len(expected)} secrets in each, schema valid")


def generated(megabytes):
    """Searches generated text in each format."""
    source = random.Random(1)
    words = [word for path in ("README.md", "CHANGELOG.md", "Package.swift", "Sources/sas/Commands.swift")
             for word in open(os.path.join(ROOT, path), encoding="utf-8").read().split()]
    block = "\n".join(" ".join(source.choices(words, k=12)) for _ in range(100_000)).encode()
    with tempfile.TemporaryDirectory() as folder:
        size = 0
        with open(os.path.join(folder, "text"), "wb") as file:
            while size < megabytes * 1_000_000:
                # A different start moves the text in the buffers of the tool.
                file.write(block[source.randrange(1000):])
                size += len(block)
            size = file.tell()
        for format in FORMATS:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            audit("--format", format, "text", folder=folder, status=0)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"generated text, {format}: {size / 1e6:.0f} MB, {size / 1e6 / seconds:.0f} MB/s of CPU time")
        # The largest child was the tool or git, neither of which must need more.
        with open(os.path.join(folder, "text"), "rb") as text:
            memory = subprocess.run(["/usr/bin/env", "python3", "-c", MEASURE, TOOL], stdin=text, capture_output=True, text=True)
        peak = int(memory.stdout)
        check(peak < MAXIMUM_MEMORY, f"{peak >> 20} MiB of memory")
        print(f"memory: {peak / (1 << 20):.0f} MiB")


def nested_gzip():
    """Searches gzip data in gzip data that is larger than the limit."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.gz")
        with open(path, "wb") as file:
            file.write(gzip.compress(gzip.compress(bytes(270_000_000), 1)))
        result = subprocess.run([TOOL, "audit", path], capture_output=True, text=True)
        check(result.returncode == 3, f"nested gzip data: status {result.returncode}")
        check("nested gzip data contains more than 256 MiB" in result.stderr, "no limit of nested gzip data")
    print("nested gzip data: limited")


# Prints the peak memory of sas audit on standard input, in bytes.
MEASURE = """
import os, resource, subprocess, sys
subprocess.run([sys.argv[1], "audit", "-"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def secret():
    """Returns a new connection string."""
    key = subprocess.run(["sh", "-c", "head -c 32 /dev/urandom | base64"], capture_output=True, text=True).stdout.strip()
    return f"Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=full;SharedAccessKey={key}\n"


def repository(folder):
    """Creates a repository and returns a function that runs commands in it."""
    environment = {
        **os.environ, "PATH": os.path.dirname(TOOL) + ":" + os.path.dirname(sys.executable) + ":" + os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.path.join(folder, ".gitconfig"), "HOME": folder, "PRE_COMMIT_HOME": os.path.join(folder, ".cache"),
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    }
    environment = {key: value for key, value in environment.items() if key not in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE")}

    def run(*command, **variables):
        return subprocess.run(command, cwd=folder, env={**environment, **variables}, capture_output=True, text=True)

    run("git", "init", "-q", ".")
    return run


def hook():
    """Commits with the pre-commit hook of a copy of the repository."""
    with tempfile.TemporaryDirectory() as folder:
        origin = os.path.join(folder, "origin")
        os.mkdir(origin)
        provider = repository(origin)
        with open(os.path.join(ROOT, ".pre-commit-hooks.yaml"), encoding="utf-8") as source:
            hooks = source.read()
        with open(os.path.join(origin, ".pre-commit-hooks.yaml"), "w", encoding="utf-8") as file:
            file.write(hooks)
        provider("git", "add", "-A")
        provider("git", "commit", "-qm", "one")
        commit = provider("git", "rev-parse", "HEAD").stdout.strip()
        project = os.path.join(folder, "project")
        os.mkdir(project)
        run = repository(project)
        with open(os.path.join(project, ".pre-commit-config.yaml"), "w", encoding="utf-8") as file:
            yaml.safe_dump({"repos": [{"repo": origin, "rev": commit, "hooks": [{"id": "sas-audit-system"}]}]}, file)
        installed = run("pre-commit", "install")
        check(installed.returncode == 0, f"pre-commit install: {installed.stderr}")
        run("git", "add", "-A")
        clean = run("git", "commit", "-m", "clean")
        check(clean.returncode == 0 and "Passed" in clean.stderr, f"the hook rejects clean content: {clean.stdout}{clean.stderr}")
        with open(os.path.join(project, "config.env"), "w", encoding="utf-8") as file:
            file.write(secret())
        run("git", "add", "-A")
        leak = run("git", "commit", "-m", "leak")
        check(leak.returncode != 0 and "config.env:1:1: connection string" in leak.stdout + leak.stderr, "the hook accepts a leak")
        check({item["id"]: item["entry"] for item in yaml.safe_load(hooks)}["sas-audit"] == "sas audit --staged", "entry of sas-audit")
        print("pre-commit: clean content accepted, leak rejected")


def action():
    """Runs the steps of the action in a repository, with the environment of GitHub's runner."""
    with open(os.path.join(ROOT, "action.yml"), encoding="utf-8") as file:
        definition = yaml.safe_load(file)
    steps = definition["runs"]["steps"]
    for leak, inputs, expected in ((False, {}, 0), (True, {}, 1), (True, {"options": "--exclude\nconfig*"}, 0), (True, {"path": "missing"}, 3)):
        with tempfile.TemporaryDirectory() as folder:
            run = repository(folder)
            with open(os.path.join(folder, "config.env"), "w", encoding="utf-8") as file:
                file.write(secret() if leak else "clean\n")
            files = {name: os.path.join(folder, ".runner-" + name) for name in ("GITHUB_OUTPUT", "GITHUB_PATH")}
            sarif = os.path.join(folder, ".git", "sas-audit.sarif")
            variables = {**files, "GITHUB_ACTION_PATH": ROOT, "GITHUB_ACTIONS": "true", "RUNNER_TEMP": os.path.dirname(sarif)}
            status, output = 0, ""
            for step in steps:
                given = {}
                for name, value in step.get("env", {}).items():
                    key = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value)[1]
                    given[name] = inputs.get(key, definition["inputs"][key]["default"])
                # The runner's command for "shell: bash".
                check(step["shell"] == "bash", "another shell")
                result = run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], **variables, **given)
                status, output = result.returncode, result.stdout
                if status:
                    break
            check(status == expected, f"action with {inputs}: status {status}: {result.stderr}")
            expected %= 3
            with open(files["GITHUB_OUTPUT"], encoding="utf-8") as file:
                check(file.read() == f"sarif-file={sarif}\nfound={'true' if expected else 'false'}\n", "output of the action")
            with open(sarif, encoding="utf-8") as file:
                check(len(json.load(file)["runs"][0]["results"]) == expected, "SARIF of the action")
            check(bool(re.search("(?m)^::error file=config.env", output)) == bool(expected), "annotations of the action")
    print("action: 4 runs")


TOOL = sys.argv[1]
with open(sys.argv[2], encoding="utf-8") as schema_file:
    reports(json.load(schema_file))
audit(".", status=0)
print("repository: clean")
generated(int(sys.argv[3]))
nested_gzip()
hook()
action()
sys.exit(failures > 0)
