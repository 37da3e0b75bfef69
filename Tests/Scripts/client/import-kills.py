"""Kills and resumes nhub import. Run by import-kills, with the path of nhub and the number of kills."""

import collections
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.request

TOOL, KILLS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
LINES, PER_IMPORT = 60, 3
BAD = [number for number in range(1, LINES + 1) if number % 10 == 0]


def fail(message):
    sys.exit(f"import-kills: {message}")


class Hub:
    """An emulator whose log reports each request."""

    def __init__(self):
        self.process = subprocess.Popen([TOOL, "emulator", "--port", "0", "--log"], stdout=subprocess.PIPE, text=True)
        self.lines, text = queue.Queue(), ""
        while not (match := re.search(r"Endpoint=\S*DefaultFull\S*", text)):
            text += self.process.stdout.readline()
        self.connection = match[0]
        self.url = "http://" + re.search(r"127\.0\.0\.1:\d+", self.connection)[0]
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.process.stdout], daemon=True).start()

    def reset(self):
        request = urllib.request.Request(f"{self.url}/$emulator/reset", b"{}", {"Content-Type": "application/json"})
        urllib.request.urlopen(request).close()
        while not self.lines.empty():
            self.lines.get()

    def wait_for_requests(self, count, process):
        """Returns after a number of requests, or when the process has ended."""
        while count > 0 and process.poll() is None:
            try:
                count -= " /push/" in self.lines.get(timeout=0.05)
            except queue.Empty:
                pass


def line(number):
    """Returns a line of the input: an installation, a registration, or an invalid line."""
    if number in BAD:
        return "not JSON" if number % 20 == 0 else '{"installationId":"bad","platform":"none","pushChannel":"a"}'
    if number % 5 == 4:
        return json.dumps({"registrationId": f"r{number}", "platform": "gcm", "pushChannel": f"gcm-{number}", "tags": ["a"]})
    return json.dumps({"installationId": f"d{number}", "platform": "apns", "pushChannel": f"{number:064X}", "tags": ["a"]})


def identity(text):
    device = json.loads(text)
    return device.get("installationId"), device["pushChannel"].lower()


def start(hub, directory):
    environment = {**os.environ, "NOTIFICATION_HUB_CONNECTION_STRING": hub.connection, "NOTIFICATION_HUB_NAME": "push",
                   "no_proxy": "127.0.0.1"}
    return subprocess.Popen([TOOL, "import", "--concurrency", "4", "devices.jsonl"], cwd=directory, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def wait_for_end(directory, process):
    """Returns when the journal says that the import is complete, or is gone; or when the process has ended."""
    path, existed = f"{directory}/devices.jsonl.journal", False
    while process.poll() is None:
        try:
            with open(path, "rb") as journal:
                existed = True
                if journal.read().endswith(b"complete\n"):
                    return
        except FileNotFoundError:
            if existed:
                return


hub, killed, imports, at_end = Hub(), 0, 0, 0
try:
    wanted = collections.Counter(identity(line(number)) for number in range(1, LINES + 1) if number not in BAD)
    while killed < KILLS:
        imports += 1
        hub.reset()
        with tempfile.TemporaryDirectory() as directory:
            with open(f"{directory}/devices.jsonl", "w") as file:
                file.writelines(line(number) + "\n" for number in range(1, LINES + 1))
            for number in range(min(PER_IMPORT, KILLS - killed)):
                process = start(hub, directory)
                if number == PER_IMPORT - 1:
                    wait_for_end(directory, process)
                else:
                    # Each import is killed at other positions.
                    hub.wait_for_requests(1 + (imports * 7 + number * 13) % (LINES // 2), process)
                process.kill()
                output = process.communicate()[0]
                if process.returncode == -signal.SIGKILL:
                    killed += 1
                    at_end += number == PER_IMPORT - 1
                elif process.returncode != 1:
                    fail(f"import {imports} exited with {process.returncode}: {output}")
            for _ in range(2):
                process = start(hub, directory)
                output = process.communicate()[0]
                if process.returncode != 1 or not output.startswith(f"{LINES - len(BAD)} put, {len(BAD)} failed"):
                    fail(f"import {imports} exited with {process.returncode}: {output}")
            with open(f"{directory}/devices.jsonl.failures.jsonl") as file:
                failures = sorted(json.loads(failure)["line"] for failure in file)
            if failures != BAD:
                fail(f"import {imports}: expected the failures {BAD}, got {failures}")
            environment = {**os.environ, "NOTIFICATION_HUB_CONNECTION_STRING": hub.connection, "NOTIFICATION_HUB_NAME": "push",
                           "no_proxy": "127.0.0.1"}
            exported = subprocess.run([TOOL, "export", "-"], env=environment, capture_output=True, text=True, check=True).stdout
        found = collections.Counter(map(identity, exported.splitlines()))
        if found != wanted:
            fail(f"import {imports}: lost {list((wanted - found).elements())}, doubled {list((found - wanted).elements())}")
    print(f"import-kills: {killed} kills in {imports} imports, {at_end} of them at the end; no device lost or doubled")
finally:
    hub.process.kill()
    hub.process.wait()
