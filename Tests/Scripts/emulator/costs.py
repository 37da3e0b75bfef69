"""Measures the emulator's cost of operations at three sizes, over one connection and as the minimum of several runs."""

import http.client
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

SIZES = [2_000, 20_000, 200_000]
VERSION = "api-version=2020-06"
# An operation whose size is fixed may cost 1.3 times as much in the largest hub as in the smallest. The other operations are linear: the
# goal is an exponent of 1.05, and the difference to the limit is noise.
FIXED = math.log(1.3) / math.log(SIZES[-1] / SIZES[0])
EXPONENTS = {
    "put": FIXED, "get": FIXED, "list, a page of 100": FIXED, "list, page 10": FIXED, "list by tag, a page of 100": FIXED,
    "describe the hub": FIXED, "send to no device": FIXED, "send to 10 devices": FIXED,
    "put and send to an expired device": FIXED, "send to a tenth": 1.1, "delete a tenth by tag": 1.1,
}


class Hub:
    def __init__(self, nhub, sas, file):
        self.process = subprocess.Popen(
            [nhub, "emulator", "--port", "0", "--max-memory", "4G", "--import", file, "--json"], stdout=subprocess.PIPE, text=True)
        report = json.loads(self.process.stdout.readline())
        self.string = report["hubs"][0]["connectionString"]
        self.environment = {**os.environ, "NOTIFICATION_HUB_CONNECTION_STRING": self.string, "NOTIFICATION_HUB_NAME": "push"}
        self.token = subprocess.run(
            [sas, "sign", "--connection-string-env", "NOTIFICATION_HUB_CONNECTION_STRING"], capture_output=True, text=True,
            check=True, env=self.environment).stdout.strip()
        self.connection = http.client.HTTPConnection("127.0.0.1", report["port"])

    def call(self, method, path, body=None, **headers):
        self.connection.request(method, path, body, {"Authorization": self.token, **headers})
        response = self.connection.getresponse()
        content = response.read()
        if response.status >= 300:
            raise SystemExit(f"costs: {method} {path}: {response.status} {content[:200]}")
        return response, content

    def close(self):
        self.process.terminate()
        self.process.wait()


def seconds(work, runs):
    """Returns the least time of several runs: other programs only add time."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(nhub, hub, size):
    content_type = {"Content-Type": "application/json"}
    phone = {"installationId": "d-7", "platform": "apns", "pushChannel": "00fc13ad", "tags": ["news", "rare"]}
    expired = {"installationId": "d-8", "platform": "apns", "pushChannel": "00FC13AE", "tags": ["expired"]}
    hub.call("POST", "/$emulator/expire", json.dumps({"platform": "apns", "handle": "00FC13AE"}), **content_type)
    message = json.dumps({"aps": {"alert": "Hello"}})

    def put(device):
        hub.call("PUT", f"/push/installations/{device['installationId']}?{VERSION}", json.dumps(device), **content_type)

    def listing(path, page):
        token = ""
        for _ in range(page - 1):
            response, _ = hub.call("GET", f"{path}?{VERSION}&$top=100{token}")
            token = "&ContinuationToken=" + response.headers["X-MS-ContinuationToken"]
        return lambda: hub.call("GET", f"{path}?{VERSION}&$top=100{token}")

    def send(tag):
        hub.call("POST", f"/push/messages?{VERSION}", message, **{
            **content_type, "ServiceBusNotification-Format": "apple", "ServiceBusNotification-Tags": tag})

    def send_to_expired():
        # The put clears the mark of expiry, so that the platform rejects the next message again.
        put(expired)
        send("expired")

    def delete():
        subprocess.run([nhub, "delete", "installations", "--tag", "tenth", "--yes"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=hub.environment)

    return {
        "put": seconds(lambda: put(phone), 200),
        "get": seconds(lambda: hub.call("GET", f"/push/installations/d-7?{VERSION}"), 200),
        "list, a page of 100": seconds(listing("/push/registrations", 1), 40),
        "list, page 10": seconds(listing("/push/registrations", 10), 40),
        "list by tag, a page of 100": seconds(listing("/push/tags/news/registrations", 5), 40),
        "describe the hub": seconds(lambda: hub.call("GET", f"/push?{VERSION}"), 40),
        "send to no device": seconds(lambda: send("$UserId:{none}"), 100),
        "send to 10 devices": seconds(lambda: send("rare"), 100),
        "put and send to an expired device": seconds(send_to_expired, 40),
        "send to a tenth": seconds(lambda: send("tenth"), 5),
        "delete a tenth by tag": seconds(delete, 1),
    }


def machine():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    return f"{model[1] if model else 'unknown CPU'}, {os.cpu_count()} cores, Linux {os.uname().release}"


def main(nhub, sas):
    print(f"costs: {machine()}")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            file = os.path.join(folder, f"{size}.jsonl")
            with open(file, "w") as lines:
                for i in range(size):
                    tags = ["news"] + (["tenth"] if i % 10 == 3 else []) + (["rare"] if i < 10 else [])
                    lines.write(json.dumps({
                        "installationId": f"d-{i}", "platform": "apns", "pushChannel": f"{i:08x}", "tags": tags}) + "\n")
            hub = Hub(nhub, sas, file)
            try:
                results.append(measure(nhub, hub, size))
            finally:
                hub.close()
    failures = []
    print("| Operation | " + " | ".join(f"{size:,}" for size in SIZES) + " | Exponent |")
    print("|---|" + "---|" * (len(SIZES) + 1))
    for name, limit in EXPONENTS.items():
        times = [result[name] for result in results]
        exponent = math.log(times[-1] / times[0]) / math.log(SIZES[-1] / SIZES[0])
        print(f"| {name} | " + " | ".join(f"{t * 1000:.3g} ms" for t in times) + f" | {exponent:.2f} |")
        if exponent > limit:
            failures.append(f"{name}: exponent {exponent:.2f}, at most {limit:.2f}")
    for failure in failures:
        print(f"costs: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
