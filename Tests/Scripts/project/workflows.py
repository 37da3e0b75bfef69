"""Checks the workflows. Run by workflows."""

import os
import re
import subprocess
import sys
from pathlib import Path

from ruamel.yaml import YAML

TOOLS = Path(sys.executable).parent
SCRIPT = re.compile(r"(?:\./)?((?:\.ci|Tests)/[\w./-]+)( [\w$\" .-]+)?")
SAFE_DIRECTORY = 'git config --global --add safe.directory "$GITHUB_WORKSPACE"'
# The runners of https://docs.github.com/actions/reference/runners/github-hosted-runners that have Swift 6.2 or later, or run containers.
RUNNERS = {"ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "macos-26"}
IMAGE = re.compile(r"swift:6\.[23](\.\d+)?-bookworm")
PIN = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}|\./.*")


def run(*command):
    """Returns the output of a tool if it fails."""
    result = subprocess.run([TOOLS / command[0], *command[1:]], capture_output=True, text=True)
    return [result.stdout + result.stderr] if result.returncode != 0 else []


def expand(text, job):
    """Returns the values of a text for the rows of the job's matrix."""
    rows = job.get("strategy", {}).get("matrix", {}).get("include", [{}])
    return {re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda name: str(row.get(name[1])), text) for row in rows} - {""}


def check_calls(path, root):
    """Checks that each action is pinned to a commit with its version, that each runner is known, and that each job with a checkout
    runs one existing script."""
    text = path.read_text(encoding="utf-8")
    for use in re.findall(r"uses: (.*)", text):
        action, _, comment = use.partition(" # ")
        if not PIN.fullmatch(action) or (not action.startswith("./") and not re.fullmatch(r"v\d+\.\d+\.\d+", comment)):
            yield f"{path.name}: expected OWNER/ACTION@COMMIT # vX.Y.Z; got {use}"
    for name, job in YAML(typ="safe").load(text)["jobs"].items():
        for runner in sorted(expand(job.get("runs-on", ""), job) - RUNNERS):
            yield f"{path.name}: {name}: unknown runner: {runner} (known: {', '.join(sorted(RUNNERS))})"
        container = job.get("container", "")
        for image in sorted(expand(container if isinstance(container, str) else container["image"], job)):
            if not IMAGE.fullmatch(image):
                yield f"{path.name}: {name}: expected an image such as swift:6.3.1-bookworm; got {image}"
        steps = job.get("steps", [])
        if not any(step.get("uses", "").startswith("actions/checkout@") for step in steps):
            continue
        commands = [step["run"].strip() for step in steps if step.get("run", SAFE_DIRECTORY) != SAFE_DIRECTORY]
        if len(commands) != 1 or not (script := SCRIPT.fullmatch(commands[0])):
            yield f"{path.name}: {name}: expected one call of a script; got {commands}"
        elif not os.access(root / script[1], os.X_OK):
            yield f"{path.name}: {name}: missing or not executable: {script[1]}"


def check(root):
    """Returns the problems."""
    workflows = sorted((root / ".github/workflows").glob("*"))
    schemas = {
        "vendor.github-workflows": workflows,
        "custom.github-workflows-require-timeout": workflows,
        "vendor.github-actions": [root / "action.yml"],
        "vendor.dependabot": [root / ".github/dependabot.yml"],
        "vendor.compose-spec": [root / ".container/compose.yaml"],
    }
    problems = []
    for schema, files in schemas.items():
        problems += run("check-jsonschema", "--builtin-schema", schema, *files)
    problems += run("zizmor", "--offline", "--no-progress", "--quiet", "--strict-collection", root)
    for path in workflows:
        problems += check_calls(path, root)
    return problems, len(workflows)


problems, count = check(Path("."))
for problem in problems:
    print(problem)
print(f"workflows: {count} workflows, {len(problems)} problems")
sys.exit(1 if problems else 0)
