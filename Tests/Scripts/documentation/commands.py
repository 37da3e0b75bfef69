"""Runs the documented commands and programs, and compares their output: see commands."""

import contextlib
import dataclasses
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1])
exceptions_file = "Tests/Scripts/documentation/commands.not-run"
languages = {"sh", "console", "text", "swift", "json", "yaml", "ini", "csv"}
# The modules that programs can import, and those that these need.
modules = """DeviceRegistration HubCrypto HubCryptoARMSHA HubCryptoAVX512 HubCryptoPortable HubCryptoX86SHA HubEmulatorPage HubLock
    HubServer HubText NotificationHubs NotificationHubsEmulator NotificationHubsEmulatorServer NotificationHubsHTTP NotificationHubsTesting
    PushBackend SharedAccessSignature""".split()

# Defines the functions of every session, and stand-ins for commands that are not installed.
prelude = r"""
set -euo pipefail
emulator() {
    if [ -n "${emulator_pid:-}" ]; then kill "$emulator_pid"; wait "$emulator_pid" || true; fi
    : > "$HOME/emulator.log"
    nhub emulator --port "$port" "$@" < /dev/null >> "$HOME/emulator.log" 2>&1 &
    emulator_pid=$!
    for _ in $(seq 100); do
        ! grep -q '^Deliveries: ' "$HOME/emulator.log" || break
        kill -0 "$emulator_pid"
        sleep 0.1
    done
    cat "$HOME/emulator.log"
}
hub() {
    emulator "$@" > /dev/null
    eval "$(nhub emulator env --port "$port")"
}
curl() { command curl --fail-with-body "$@"; }
website() {
    "$@" "$website_port" &
    curl -sS --retry 50 --retry-delay 1 --retry-connrefused "http://127.0.0.1:$website_port/" > /dev/null
}
mkdir -p ~/bin ~/.config/fish/completions ~/.local/share/man/man1
for name in make xcrun; do
    printf '#!/bin/sh\necho "%s $* (${NOTIFICATION_HUB_CONNECTION_STRING%%%%/;*})"\n' $name > ~/bin/$name
done
chmod +x ~/bin/*
"""

# The files and devices that the documents describe.
setups = {
    "README.md": 'cd "$root"',
    "CONTRIBUTING.md": 'cd "$root"',
    "CommandLine.md": r"""
        hub --hub push --hub staging
        echo '{"aps": {"alert": "Hello"}}' > alert.json
        cp ~/blocks/json-1 phone.json
        cp ~/blocks/json-2 devices.jsonl
        cp ~/blocks/csv-1 devices.csv
        printf -- '-----BEGIN PRIVATE KEY-----\nQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg==\n-----END PRIVATE KEY-----\n' > AuthKey.p8
        echo '{"project_id":"demo","client_email":"a@example.com","private_key":"secret"}' > service-account.json
        # With phone-2 of devices.jsonl, 12 devices match "news || sports && vip".
        { for device in 1 2 3 4 5 6 7 8; do
                echo "{\"installationId\":\"news-$device\",\"platform\":\"apns\",\"pushChannel\":\"1$device\",\"tags\":[\"news\"]}"
            done
            echo '{"installationId":"news-9","platform":"apns","pushChannel":"19","tags":["news","vip"]}'
            echo '{"installationId":"sports-1","platform":"apns","pushChannel":"21","tags":["sports","vip"]}'
            echo '{"installationId":"sports-2","platform":"apns","pushChannel":"22","tags":["sports","vip"]}'
            echo '{"installationId":"phone-3","platform":"apns","pushChannel":"03","userId":"zoe",
                "templates":{"alert":{"body":"{\"aps\":{\"alert\":\"$(city)\"}}"}}}' | tr -d '\n'
        } > others.jsonl
        nhub import others.jsonl
        """,
    "ManagingManyDevices.md": r"""
        hub --hub push --hub staging
        mkdir -p ~/.config/nhub
        (umask 077
            printf '[staging]\nconnection-string-env = NOTIFICATION_HUB_CONNECTION_STRING\nhub = staging\n' > ~/.config/nhub/config)
        echo phone-6 > keep.txt
        printf 'phone-3\nphone-6\n' > old.txt
        export CONTAINER_URL=$(curl -sS -H 'Content-Type: application/json' -d '{"name": "jobs", "hub": "push"}' \
            "http://127.0.0.1:$port/\$emulator/containers" | sed 's/.*"url":"\([^"]*\)".*/\1/')
        echo '<AppleRegistrationDescription><DeviceToken>0C</DeviceToken></AppleRegistrationDescription>' |
            curl -sS -T - -H 'x-ms-blob-type: BlockBlob' "${CONTAINER_URL/\?//devices.xml?}"
        # A device of the legacy API, and two duplicates.
        nhub import - << 'LINES'
        {"installationId":"phone-1","platform":"apns","pushChannel":"00FC13AD","tags":["news"]}
        {"installationId":"phone-2","platform":"apns","pushChannel":"00FC13AE","tags":["beta"]}
        {"installationId":"phone-3","platform":"gcm","pushChannel":"a","templates":{"t":{"body":"{\"data\":{}}"}}}
        {"installationId":"phone-5","platform":"gcm","pushChannel":"b","expirationTime":"2090-01-01T00:00:00Z"}
        {"installationId":"phone-6","platform":"gcm","pushChannel":"b"}
LINES
        """,
    "WhyNothingArrives.md": r"""
        hub
        echo '{"message": {"notification": {"title": "Goal", "channel_id": "scores"}}}' > message.json
        echo '{"installationId":"phone-1","platform":"fcmv1","pushChannel":"a:b","tags":["news"],
            "templates":{"t":{"body":"{\"message\":{\"notification\":{\"title\":\"$(message)\"}}}"}}}' | nhub installation put -
        """,
    "SendingMessages.md": r"""
        hub
        for device in 1 2 3; do
            echo "{\"installationId\":\"phone-$device\",\"platform\":\"apns\",\"pushChannel\":\"0$device\",
                \"templates\":{\"t\":{\"body\":\"{\\\"aps\\\":{\\\"alert\\\":\\\"\$(message)\\\"}}\"}}}" | nhub installation put -
        done
        """,
    "ControlAPI.md": r"""
        hub
        echo '{"notification": 1}' > import.txt
        """,
    "FindingLeakedSecrets.md": r"""
        key=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=
        mkdir ci
        { printf '\n%.0s' 1 2 3 4 5 6 7 8 9 10 11
            printf "   CONNECTION_STRING: 'Endpoint=sb://contoso.servicebus.windows.net/;"
            echo "SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=$key'"
        } > ci/deploy.yml
        git init --quiet --initial-branch main
        git -c user.name=a -c user.email=a@example.com commit --quiet --allow-empty --message a
        """,
    "VerifyingTokensInCI.md": "",
}

# Text in the output of a document's commands that the document describes in prose.
described = {
    "CommandLine.md": [
        '"installationId":"phone-1"', "the hub will apply the put of phone-1", "the hub is sending the message",
        "the hub will send the message later", "Cancelled", "10 devices would receive a message",
    ],
    "ManagingManyDevices.md": ["3 moved", "1 would be deleted", "copied", "2 deleted"],
    "TestingWithoutAzure.md": [
        "HTTP/1.1 201 Created", "xcrun simctl push booted com.example.app 1.apns (", "make test (Endpoint=sb://127.0.0.1:",
    ],
}

# Replaces what a reader inserts, and fixed ports.
insertions = [
    (r"\bswift run (-c release )?(?=nhub )", ""),
    (r"^nhub emulator(?= --|$)", "emulator"),
    (r"nhub emulator env", r'nhub emulator env --port "$port"'),
    (r"^python3 -m http\.server.*", r"website \g<0>"),
    (r"127\.0\.0\.1:8350", "127.0.0.1:PORT"),
    (r"'Endpoint=sb://…'", '"$NOTIFICATION_HUB_CONNECTION_STRING"'),
    (r"^nhub schedule .*", r"\g<0> | tee scheduled"),
    (r"NOTIFICATION-ID", """"$(sed -n 's,^notification ID  *,,p' scheduled)\""""),
    (r"POLICY_KEY='…'", "POLICY_KEY=c2VjcmV0"),
    (r"^curl .*/containers'$", r"\g<0> | tee container"),
    (r"sig=…'", """'"$(grep -o 'sig=[^"&]*' container)\""""),
    # The exit status is 1 if the command finds a secret or a cause, or if a platform rejects a message.
    (r"^(sas audit|.*nhub why|nhub send .* --test).*", r"\g<0> || [ $? = 1 ]"),
    (r"^source <\(.* zsh\)$", r"zsh -fc 'autoload -U compinit; compinit -u; \g<0>'"),
]

# Names that programs use without defining them.
declarations = """
let connectionString = ProcessInfo.processInfo.environment["NOTIFICATION_HUB_CONNECTION_STRING"] ?? ""
struct MyTransport: HubTransport {
    let transport = try! HubHTTPTransport()
    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        try await transport.send(request, timeout: timeout)
    }
}
"""


@dataclasses.dataclass
class Step:
    """A command or a program, with the output that its document claims."""

    line: int
    text: str
    output: list[str] = dataclasses.field(default_factory=list)
    is_program: bool = False


def fail(message):
    print(f"commands: {message}", file=sys.stderr)
    sys.exit(1)


def is_complete(command):
    syntax = subprocess.run(["bash", "-n"], input=command, text=True, capture_output=True)
    return syntax.returncode == 0 and not command.endswith("\\")


def commands(lines, number):
    """Splits lines into commands."""
    steps, start, text = [], number, ""
    for offset, line in enumerate(lines):
        start, text = (start, f"{text}\n{line}") if text else (number + offset, line)
        if is_complete(text):
            steps.append(Step(start, text))
            text = ""
    if text:
        fail(f"line {start}: incomplete command: {text}")
    return steps


def transcript(lines, number):
    """Splits a transcript into commands with their output."""
    steps = []
    for offset, line in enumerate(lines):
        if line.startswith("$ "):
            steps.append(Step(number + offset, line[2:]))
        else:
            steps[-1].output.append(line)
    return steps


def read(path):
    """Returns the steps of a document, and its other blocks by language."""
    steps, blocks, after_commands = [], {}, False
    lines = path.read_text().splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if line.startswith("#"):
            after_commands = False
        if path.name == "README.md":
            steps += [Step(number, text) for text in re.findall(r"`((?:swift run|eval|gh|sha256sum|python3) [^`]+)`", line)]
        if not line.startswith("```"):
            continue
        language, end = line[3:], lines.index("```", number)
        block, start = lines[number:end], number + 1
        number = end + 1
        if language not in languages:
            fail(f"{path}:{start - 1}: unknown language of a block: {language or 'none'} ({', '.join(sorted(languages))})")
        if language == "sh":
            steps += commands(block, start)
            after_commands = True
        elif language == "console":
            steps += transcript(block, start)
        elif language == "text" and after_commands:
            steps[-1].output = block  # Of the last command of the preceding block.
        elif language == "swift" and any("// Prints " in line or line.startswith("@Test") for line in block):
            claims = [line.split("// Prints ")[1] for line in block if "// Prints " in line]
            steps.append(Step(start, "\n".join(block), claims, is_program=True))
        else:
            blocks.setdefault(language, []).append("\n".join(block) + "\n")
    return steps, blocks


def help_steps(tool):
    """Returns the commands in the help of a tool."""
    def text(*arguments):
        return subprocess.run([build / tool, "help", *arguments], check=True, capture_output=True, text=True).stdout
    names = re.findall(r"^  ([a-z]+)  ", text().split("SUBCOMMANDS:")[1].split("OPTIONS:")[0], re.MULTILINE)
    help = text() + "".join(text(name) for name in names if name != "help")
    found = re.findall(r"^(?!USAGE).*: ((?:source <\(|nhub |sas )[a-z].*)$", help, re.MULTILINE)
    return [Step(0, command.rstrip(".")) for command in found]


def pattern(line):
    """Returns the regular expression of a line of output. "…" stands for any text; times, sizes and fingerprints vary."""
    text = re.escape(line).replace("…", ".*")
    text = re.sub(r"\d{4}\\-\d\d\\-\d\dT\d\d:\d\d:\d\dZ", r"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", text)
    text = re.sub(r"\d[\d\\.]*\\ (files|[kM]?B|s)\b", r"[\\d.]+ (?:files?|[kM]?B|bytes|s)", text)
    return re.sub(r"fingerprint\\ [0-9a-f]{16}", "fingerprint [0-9a-f]{16}", text)


def missing(claims, output):
    """Returns the first claimed line that the output lacks, in order."""
    lines = iter(output.splitlines())
    for claim in claims:
        if not any(re.fullmatch(pattern(claim), line.rstrip()) for line in lines):
            return claim
    return None


def compile(programs, folder):
    """Compiles all programs into one executable, whose argument selects a program."""
    imports, functions, cases = {"import Foundation", "import NotificationHubsHTTP", "import Testing"}, "", ""
    for number, program in enumerate(programs):
        lines = program.text.split("\n")
        imports.update(line for line in lines if line.startswith("import "))
        body = "\n".join(line for line in lines if not line.startswith("import "))
        is_test = "@Test" in body
        functions += f"struct Program{number}" if is_test else f"func program{number}() async throws"
        functions += f" {{\n{body}\n}}\n"
        entry = "await Testing.__swiftPMEntryPoint() as Never" if is_test else f"try await program{number}()"
        cases += f'case "Program{number}": {entry}\n'
    main = f"""@main struct Main {{
        static func main() async throws {{
            switch CommandLine.arguments.last {{
            {cases}default: fatalError()
            }}
        }}
    }}"""
    source = folder / "programs.swift"
    source.write_text("\n".join(sorted(imports)) + declarations + functions + main)
    objects = [file for module in modules for file in (build / f"{module}.build").rglob("*.o") if has_source(module, file)]
    outcome = subprocess.run(
        ["swiftc", "-swift-version", "6", "-parse-as-library", "-suppress-warnings", "-I", build / "Modules", source, *objects,
         "-o", folder / "documented-program"], capture_output=True, text=True)
    if outcome.returncode != 0:
        fail(f"cannot compile the programs:\n{outcome.stderr}")


def has_source(module, file):
    """Whether an object's source exists. A build keeps the objects of sources that were moved or deleted."""
    folder = pathlib.Path("Sources") / module
    name = file.name.removesuffix(".o")
    return name == "embedded_resources.swift" or not folder.exists() or any(folder.rglob(name))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def run(name, steps, blocks, folder):
    """Runs the steps of a document in one shell. Returns the problem, if any."""
    home = folder / name.replace(" ", "-")
    (home / "work").mkdir(parents=True)
    (home / "blocks").mkdir()
    for language, texts in blocks.items():
        for number, text in enumerate(texts, 1):
            (home / "blocks" / f"{language}-{number}").write_text(text)
    port = free_port()
    script = prelude + setups.get(name, "")
    for number, step in enumerate(steps):
        text = step.text
        for expression, replacement in insertions:
            text = re.sub(expression, replacement, text, flags=re.MULTILINE)
        script += f"\nprintf '\\n\\036%s\\n' {number}\n{text}\n".replace("PORT", port)
    (home / "session").write_text(script)
    environment = {
        "HOME": str(home), "PATH": f"{home}/bin:{build}:{folder}:{os.environ['PATH']}", "LANG": "C.UTF-8",
        "no_proxy": "127.0.0.1,localhost", "SWIFT_BACKTRACE": "enable=no",
        "root": os.getcwd(), "port": port, "website_port": free_port(),
    }
    with open(home / "output", "wb") as output:
        shell = subprocess.Popen(
            ["bash", home / "session"], cwd=home / "work", env=environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = shell.wait(timeout=120)
        except subprocess.TimeoutExpired:
            status = "a timeout"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
    text = (home / "output").read_text(errors="replace")
    parts = re.split(r"\n\x1e(\d+)\n", text)
    outputs = dict(zip(map(int, parts[1::2]), parts[2::2]))
    if status != 0:
        last = max(outputs, default=None)
        place = "the setup" if last is None else f"line {steps[last].line}: {steps[last].text}"
        log = home / "emulator.log"
        log = "\nemulator: " + log.read_text(errors="replace")[-1000:] if log.exists() else ""
        return f"{name}: {place}\nended with {status}:\n{outputs.get(last, text)[-2000:]}{log}"
    for number, step in enumerate(steps):
        claim = missing([line.replace("127.0.0.1:8350", f"127.0.0.1:{port}") for line in step.output], outputs[number])
        if claim is not None:
            return f"{name}: line {step.line}: {step.text}\ndoes not print:\n{claim}\nbut:\n{outputs[number][-2000:]}"
    for claim in described.get(name, []):
        if claim not in text:
            return f"{name}: the commands do not print: {claim}\n{text[-2000:]}"
    return None


def exceptions():
    """Returns the commands that do not run here, by their first line."""
    found = {}
    for line in pathlib.Path(exceptions_file).read_text().splitlines():
        command, separator, reason = line.partition("  # ")
        if not separator or not reason:
            fail(f"{exceptions_file}: expected COMMAND  # REASON: {line}")
        found[command] = reason
    return found


def main():
    names = set(sys.argv[2:]) - {"--list"}
    files = subprocess.run(
        ["git", "ls-files", "README.md", ".github/*.md", "Sources/*.md"], check=True, capture_output=True, text=True)
    documents = {pathlib.Path(file).name: read(pathlib.Path(file)) for file in files.stdout.split()}
    documents |= {f"{tool} help": (help_steps(tool), {}) for tool in ["nhub", "sas"]}
    left_out, used, programs = exceptions(), set(), []
    for name, (steps, blocks) in documents.items():
        kept = []
        for step in steps:
            first = step.text.split("\n")[0]
            if first not in left_out:
                kept.append(step)
            elif step.output:
                fail(f"{name}: line {step.line}: the output of a command that does not run cannot be compared")
            else:
                used.add(first)
        documents[name] = (kept, blocks)
        programs += [step for step in kept if step.is_program]
    if stale := left_out.keys() - used:
        fail(f"{exceptions_file}: not in a document: {', '.join(sorted(stale))}")
    if "--list" in sys.argv:
        for name, (steps, _) in documents.items():
            for step in steps:
                print(f"{name}:{step.line}: {step.text.splitlines()[0]}")
        return
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        compile(programs, folder)
        for number, program in enumerate(programs):
            program.text = f"documented-program Program{number}"
        count = compared = failures = 0
        for name, (steps, blocks) in documents.items():
            if steps and (not names or name in names):
                if problem := run(name, steps, blocks, folder):
                    print(f"commands: {problem}", file=sys.stderr)
                    failures += 1
                count += len(steps)
                compared += sum(len(step.output) for step in steps) + len(described.get(name, []))
    print(f"commands: {count} run, {compared} lines of output compared, {len(used)} not run, {failures} documents failed")
    sys.exit(failures > 0)


main()
