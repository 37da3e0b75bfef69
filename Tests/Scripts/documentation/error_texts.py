"""Runs the commands of Fixtures/messages/errors.txt against an emulator, and compares their error texts.

The file has blocks, separated by empty lines: a line "$ COMMAND" for a POSIX shell, the exit status in brackets if it is not 1, and the
lines of standard error. A command runs in a folder with the files that FILES lists. Ports, IDs, times and the folder are replaced by names.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

TEXTS = "Fixtures/messages/errors.txt"
FILES = {
    "alert.json": '{"aps":{"alert":"Hello"}}',
    "bad.json": '{"aps":',
    "number.json": "7",
    "phone.json": '{"installationId":"phone","platform":"apns","pushChannel":"00fc13ad","tags":["news"]}',
    "hex.json": '{"installationId":"phone","platform":"apns","pushChannel":"<00fc 13ad>"}',
    "odd.json": '{"installationId":"phone","platform":"apns","pushChannel":"00fc1"}',
    "platform.json": '{"installationId":"phone","platform":"iphone","pushChannel":"00"}',
    "nameless.json": '{"platform":"apns","pushChannel":"00"}',
    "tags.json": json.dumps({"installationId": "p", "platform": "apns", "pushChannel": "00", "tags": [f"t{i}" for i in range(61)]}),
    "devices.jsonl": '{"installationId":"a","platform":"apns","pushChannel":"00"}\n{"installationId":"b"}\nno JSON\n',
    "container.txt": "https://account.blob.core.windows.net/jobs?sig=c2VzYW1l\n",
    "patch.json": '[{"op":"move","path":"/tags"}]',
    "config": "[prod]\nhub = push\ncolour = red\n",
    "empty.txt": "",
    "key.txt": "c2VzYW1lc2VzYW1l\n",
}


def run(command, environment, folder):
    result = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
    return result.returncode, result.stderr


def normalized(text, replacements):
    for word, name in replacements:
        text = text.replace(word, name)
    for pattern, name in [
        (r"NH-[-0-9a-f]+", "NOTIFICATION-ID"), (r"\d{4}-\d\d-\d\dT[\d:.]+Z?", "TIME"),
        (r"tracking ID [^\s,;)]+", "tracking ID ID"), (r"TrackingId:[^\s,.]+", "TrackingId:ID"),
        (r"\b\d+(\.\d+)? (ms|s)\b", "SPAN"), (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"), (r"port \d{4,5}", "port PORT"),
    ]:
        text = re.sub(pattern, name, text)
    return text


def blocks(text):
    for block in re.split(r"\n\n+", text.strip("\n")):
        lines = block.split("\n")
        if lines[0].startswith("$ "):
            yield lines[0][2:], "\n".join(lines[1:])
        else:
            yield None, block


def main(nhub, sas, update):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        os.chmod(os.path.join(folder, "config"), 0o600)
        bin_folder = os.path.join(folder, "bin")
        os.mkdir(bin_folder)
        os.symlink(nhub, os.path.join(bin_folder, "nhub"))
        os.symlink(sas, os.path.join(bin_folder, "sas"))
        faults = [
            "GET /installations/denied status=403", "GET /installations/busy status=429", "GET /installations/broken status=500",
            "GET /installations/gone reset=before",
        ]
        emulator = subprocess.Popen(
            [nhub, "emulator", "--port", "0", "--tier", "standard", "--json"] + [x for f in faults for x in ("--fault", f)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            hub = json.loads(emulator.stdout.readline())["hubs"][0]["connectionString"]
            environment = {
                "PATH": bin_folder + ":" + os.environ["PATH"], "HUB": hub, "HOME": folder, "LANG": "C.UTF-8",
                "NOTIFICATION_HUB_CONNECTION_STRING": hub, "NOTIFICATION_HUB_NAME": "push",
                "WRONG_KEY": re.sub(r"SharedAccessKey=[^;]+", "SharedAccessKey=sesame", hub), "KEY": "sesame",
                "SWIFT_BACKTRACE": "enable=no", "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""),
            }
            subprocess.run(["sh", "-c", "nhub installation put phone.json"], cwd=folder, env=environment, check=True,
                           stdout=subprocess.DEVNULL)
            with open(TEXTS) as file:
                expected = list(blocks(file.read()))
            found, different, count = [], 0, 0
            for command, text in expected:
                if command is None:
                    found.append(text)
                    continue
                count += 1
                status, error = run(command, environment, folder)
                actual = normalized(error, [(folder, "FOLDER")]).rstrip("\n")
                actual = (f"[{status}]\n" if status != 1 else "") + actual
                if "sesame" in actual:
                    raise SystemExit(f"error-texts: {command} prints a secret")
                found.append(f"$ {command}\n{actual}".rstrip("\n"))
                if actual != text and not update:
                    different += 1
                    print(f"$ {command}\nexpected:\n{text}\nfound:\n{actual}\n", file=sys.stderr)
        finally:
            emulator.terminate()
            emulator.wait()
    if update:
        with open(TEXTS, "w") as file:
            file.write("\n\n".join(found) + "\n")
    print(f"error-texts: {count} commands, {different} different")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "--update" in sys.argv[3:])
