"""Kills and cleans up nhub verify. Run by verify-kills, with the path of nhub and the number of kills."""

import json
import os
import random
import re
import subprocess
import sys
import threading
import time
import urllib.request

TOOL, KILLS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
# A run sends about 230 requests.
POINTS = random.Random(1).sample(range(2, 200), KILLS)
OTHERS = ["phone-1", "phone-2"]


def fail(message):
    sys.exit(f"verify-kills: {message}")


class Hub:
    """An emulator that applies writes late, and counts the requests in its log."""

    def __init__(self):
        command = [TOOL, "emulator", "--port", "0", "--log", "--write-delay", "100ms"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        text, self.count, self.point, self.victim = "", 0, None, None
        while not (match := re.search(r"Endpoint=\S*DefaultFull\S*", text)):
            text += self.process.stdout.readline()
        self.environment = {**os.environ, "NOTIFICATION_HUB_CONNECTION_STRING": match[0], "NOTIFICATION_HUB_NAME": "push"}
        self.url = "http://" + re.search(r"127\.0\.0\.1:\d+", match[0])[0]
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.count += " /push/" in line
            if self.count == self.point and self.victim: self.victim.kill()

    def kill(self, arguments, point):
        """Runs nhub, kills it at a request, and returns its standard error."""
        self.count, self.point, self.victim = 0, None, None
        self.victim = subprocess.Popen([TOOL, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.point = point
        return self.victim.communicate()[1], self.victim.returncode

    def devices(self, kind):
        with urllib.request.urlopen(f"{self.url}/$emulator/{kind}") as response: return json.load(response)[kind]


hub = Hub()
for name in OTHERS:
    device = json.dumps({"installationId": name, "platform": "apns", "pushChannel": "AB", "tags": ["news"]})
    subprocess.run([TOOL, "installation", "put", "-"], input=device, text=True, check=True, env=hub.environment, stdout=subprocess.DEVNULL)
killed = left = 0
for point in POINTS:
    errors, status = hub.kill(["verify", "--yes"], point)
    killed += status == -9
    run = re.search(r"--clean-up (verify-[0-9a-f]{16})", errors) or fail(f"no run in {errors}")
    left += len(hub.devices("installations")) > len(OTHERS)
    done = subprocess.run([TOOL, "verify", "--clean-up", run[1]], capture_output=True, text=True, env=hub.environment)
    if done.returncode != 0 or done.stdout != f"deleted everything of run {run[1]}\n": fail(f"after {point} requests: {done.stdout}{done.stderr}")
    # The hub applies the last puts and deletions after the write delay.
    end = time.monotonic() + 5
    while (installations := sorted(device["installationId"] for device in hub.devices("installations"))) != OTHERS:
        if time.monotonic() > end: fail(f"after {point} requests: {installations}")
        time.sleep(0.05)
    if registrations := hub.devices("registrations"): fail(f"after {point} requests: {registrations}")
hub.process.terminate()
print(f"verify-kills: {KILLS} runs, {killed} killed, {left} left installations, nothing after the removal")
if killed < KILLS * 0.75 or left < KILLS / 4: fail("too few kills")
