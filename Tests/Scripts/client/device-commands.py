"""Kills and resumes the commands of nhub for many devices. See device-commands."""

import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

TOOL, DEVICES, KILLS = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
MEMORY_LIMIT = 35 << 20
MEMORY_LIMIT_PER_DEVICE = 250
NEVER = "9999-12-31T23:59:59"
random.seed(20)


def fail(message):
    sys.exit(f"device-commands: {message}")


class Hub:
    """An emulator with one hub."""

    def __init__(self):
        self.process = subprocess.Popen([TOOL, "emulator", "--port", "0", "--json"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        self.connection = re.search(r'Endpoint=[^"]*Full[^"]*', line)[0]
        self.url = "http://" + re.search(r"127\.0\.0\.1:\d+", line)[0]

    def environment(self, name="NOTIFICATION_HUB_CONNECTION_STRING"):
        return {name: self.connection, "NOTIFICATION_HUB_NAME": "push", "no_proxy": "127.0.0.1"}

    def request_count(self):
        with urllib.request.urlopen(f"{self.url}/$emulator/requests?limit=0&after=1000000000") as response:
            return json.load(response)["last"]

    def deliveries(self, after):
        found = []
        while True:
            with urllib.request.urlopen(f"{self.url}/$emulator/deliveries?after={after}") as response:
                page = json.load(response)["deliveries"]
            if not page:
                return found
            found += page
            after = page[-1]["number"]


class Command:
    """A command that is killed some times, and then runs to its end.

    Each kill follows a random number of requests to the hub, so that its position does not depend on the machine's load.
    """

    def __init__(self, hub, words, kills=0, requests=0, environment={}, directory=None):
        """`requests` is the approximate number of requests that the command sends."""
        self.memory, self.seconds, self.killed = 0, 0.0, 0
        environment = {**os.environ, **hub.environment(), **environment}
        while True:
            limit = random.uniform(1, 1.6 * requests / kills) if self.killed < kills else None
            status, output, error = self.run(hub, words, environment, directory, limit)
            if status != -signal.SIGKILL:
                break
            self.killed += 1
        if status != 0:
            fail(f"{' '.join(words)} exited with {status}: {output[-500:]} {error[-500:]}")
        if self.killed < kills // 2:
            fail(f"{' '.join(words)} was killed only {self.killed} times")
        self.output = output
        if self.memory > MEMORY_LIMIT + MEMORY_LIMIT_PER_DEVICE * DEVICES:
            fail(f"{' '.join(words)} used {self.memory >> 20} MiB of memory")

    def run(self, hub, words, environment, directory, limit):
        start, first = time.monotonic(), hub.request_count()
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as error:
            process = subprocess.Popen([TOOL, *words], stdout=output, stderr=error, env=environment, cwd=directory)
            # The peak in the child's rusage would include that of this process before exec.
            while process.poll() is None:
                with open(f"/proc/{process.pid}/status") as status:
                    peaks = [int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM")]
                self.memory = max([self.memory, *peaks])
                if limit and hub.request_count() - first >= limit:
                    process.kill()
                    process.wait()
                time.sleep(0.005)
            self.seconds += time.monotonic() - start
            output.seek(0)
            error.seek(0)
            return process.returncode, output.read().decode(), error.read().decode()

    def report(self, name, count):
        print(f"{name}: {count} devices in {self.seconds:.1f} s, {count / self.seconds:.0f} per second, "
              f"{self.memory >> 20} MiB, {self.killed} kills", flush=True)


def devices(count):
    """Returns installations and registrations: Apple devices, some of them duplicated, and Android devices of the legacy API."""
    lines = []
    for number in range(count):
        tags = ["news"] + (["sample"] if number % 50 == 0 else [])
        if number % 10 == 9:
            lines.append({"registrationId": f"r{number}", "platform": "gcm", "pushChannel": f"gcm-{number}", "tags": tags,
                          "template": {"body": '{"data":{"message":"$(message)"}}'}})
        elif number % 2 == 0:
            body = json.dumps({"data": {"message": "$(message)", "number": number}, "priority": "high"})
            lines.append({"installationId": f"device-{number}", "platform": "gcm", "pushChannel": f"gcm-{number}", "tags": tags,
                          "templates": {"t": {"body": body}}})
        else:
            # Every hundredth Apple device has a second, older installation.
            handle = number - 2 if number % 200 == 53 else number
            line = {"installationId": f"device-{number}", "platform": "apns", "pushChannel": f"{handle:064X}", "tags": tags}
            if number % 200 == 53:
                line["expirationTime"] = "2090-01-01T00:00:00Z"
            lines.append(line)
    return lines


def identity(line):
    """Returns what must survive each command: the ID of an installation, the channel, the tags and the template bodies."""
    own = [tag for tag in line.get("tags", []) if not tag.startswith("$")]
    templates = {name: template["body"] for name, template in line.get("templates", {}).items()}
    return json.dumps([line.get("installationId"), line["platform"].lower(), line["pushChannel"], sorted(own), templates,
                       line.get("template", {}).get("body"), line.get("expirationTime", NEVER)[:19]], sort_keys=True)


def check(name, lines, expected):
    """Fails unless the lines are exactly the expected devices, each once."""
    found = collections.Counter(identity(line) for line in lines)
    wanted = collections.Counter(identity(line) for line in expected)
    if found != wanted:
        lost, extra = list((wanted - found).elements()), list((found - wanted).elements())
        fail(f"{name}: {len(lost)} lost or changed, such as {lost[:2]}; {len(extra)} doubled or unexpected, such as {extra[:2]}")


def exported(hub):
    """Returns all devices of a hub."""
    return [json.loads(line) for line in Command(hub, ["export", "-"]).output.splitlines()]


def migrated(line):
    """Returns a device as it must be after the migration."""
    def body(text):
        legacy = json.loads(text)
        message = {"data": {name: str(value) for name, value in legacy["data"].items()}}
        if "priority" in legacy:
            message["android"] = {"priority": legacy["priority"].upper()}
        return json.dumps({"message": message}, sort_keys=True, separators=(",", ":"))

    if line["platform"] != "gcm":
        return line
    line = {**line, "platform": "fcmv1"}
    if "template" in line:
        line["template"] = {"body": body(line["template"]["body"])}
    if "templates" in line:
        line["templates"] = {name: {"body": body(template["body"])} for name, template in line["templates"].items()}
    return line


def run_jobs(directory):
    """Imports registrations with a job, exports them with a killed one, and compares its output with that of nhub export."""
    hub = Hub()
    try:
        request = urllib.request.Request(f"{hub.url}/$emulator/containers", b'{"name": "jobs"}',
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            container = json.load(response)["url"]

        def blob(method, name, body=None):
            url = container.replace("?", f"/{name}?")
            request = urllib.request.Request(url, body, {"x-ms-blob-type": "BlockBlob"}, method=method)
            urllib.request.urlopen(request).close()

        lines = [f"<GcmRegistrationDescription><Tags>news</Tags><GcmRegistrationId>{number}</GcmRegistrationId>"
                 "</GcmRegistrationDescription>\n" for number in range(DEVICES)]
        environment = {"JOBS": container}
        # The emulator accepts at most 1 MB in a request, and stores at most 64 MB.
        batch, jobs = 5000, 0
        for start in range(0, DEVICES, batch):
            blob("PUT", "in.xml", "".join(lines[start:start + batch]).encode())
            words = ["job", "import", "--container-url-env", "JOBS", "--input", "in.xml", "--wait"]
            command = Command(hub, words, environment=environment)
            jobs += 1
            blob("DELETE", "in.xml")
            blob("DELETE", f"push/{jobs}/Output.txt")
        command.report("job import", min(batch, DEVICES))

        environment = {**os.environ, **hub.environment(), **environment}
        words = ["--container-url-env", "JOBS", "--output", "job.xml"]
        status, _, error = Command.run(command, hub, ["job", "export", *words], environment, directory, 1)
        if status != -signal.SIGKILL:
            fail(f"job export was not killed: {status} {error}")
        command = Command(hub, ["job", "wait", str(jobs + 1), *words], environment={"JOBS": container}, directory=directory)
        command.report("job wait and download", DEVICES)
        command = Command(hub, ["export", "export.xml", "--format", "service"], 1, DEVICES / 100, directory=directory)
        command.report("export --format service", DEVICES)
        added = re.compile(r"<(ETag|ExpirationTime)>[^<]*</\1>")
        files = [sorted(added.sub("", line) for line in open(f"{directory}/{name}.xml")) for name in ("job", "export")]
        if files[0] != files[1] or len(files[0]) != DEVICES:
            fail(f"job export: {len(files[0])} lines, export: {len(files[1])} lines, expected {DEVICES} equal ones")
    finally:
        hub.process.kill()
        hub.process.wait()


with tempfile.TemporaryDirectory() as directory:
    run_jobs(directory)
    hub, other, third = Hub(), Hub(), Hub()
    try:
        all_devices = devices(DEVICES)
        few = max(KILLS // 4, 1)
        with open(f"{directory}/devices.jsonl", "w") as file:
            file.writelines(json.dumps(line) + "\n" for line in all_devices)

        command = Command(hub, ["import", "devices.jsonl"], few, DEVICES, directory=directory)
        command.report("import", DEVICES)
        command = Command(hub, ["list", "installations"])
        installations = [line for line in all_devices if "installationId" in line]
        check("list installations", map(json.loads, command.output.splitlines()), installations)
        command.report("list installations", len(installations))
        command = Command(hub, ["list", "registrations"])
        command.report("list registrations", len(command.output.splitlines()))
        command = Command(hub, ["list", "tags"])
        if json.loads(command.output.splitlines()[0])["tag"] != "news":
            fail(f"list tags: {command.output[:200]}")
        command.report("list tags", DEVICES)

        command = Command(hub, ["export", "export.jsonl"], KILLS, DEVICES, directory=directory)
        with open(f"{directory}/export.jsonl") as file:
            check("export", map(json.loads, file), all_devices)
        command.report("export", DEVICES)

        words = ["--platform", "apns", "--format", "csv"]
        command = Command(hub, ["export", "export.csv", *words], few, DEVICES / 2, directory=directory)
        command.report("export --format csv", DEVICES // 2)
        command = Command(third, ["import", "export.csv", "--format", "csv"], few, DEVICES / 2, directory=directory)
        check("import --format csv", exported(third), [line for line in all_devices if line["platform"] == "apns"])
        command.report("import --format csv", DEVICES // 2)

        command = Command(hub, ["copy", "--to-connection-string-env", "OTHER", "--to-hub", "push", "--yes"], few,
                          DEVICES, other.environment("OTHER"), directory)
        check("copy", exported(other), all_devices)
        command.report("copy", DEVICES)

        command = Command(hub, ["dedupe", "--keep", "newest-expiry", "--yes"], few, DEVICES / 70)
        all_devices = [line for line in all_devices if "expirationTime" not in line]
        check("dedupe", exported(hub), all_devices)
        command.report("dedupe", DEVICES)

        command = Command(hub, ["migrate", "gcm-to-fcmv1", "--yes"], KILLS, DEVICES)
        all_devices = [migrated(line) for line in all_devices]
        check("migrate", exported(hub), all_devices)
        command.report("migrate", sum(line["platform"] == "fcmv1" for line in all_devices))
        sample = [line for line in all_devices if "sample" in line["tags"] and line["platform"] == "fcmv1"]
        last = max([delivery["number"] for delivery in hub.deliveries(0)], default=0)
        Command(hub, ["send", "template", "--tag", "sample", "message=Hello"])
        handles = [delivery["handle"] for delivery in hub.deliveries(last)]
        if sorted(handles) != sorted(line["pushChannel"] for line in sample):
            fail(f"migrate: {len(sample)} devices, but {len(handles)} deliveries of a template message")

        command = Command(hub, ["delete", "installations", "--platform", "ios", "--yes"], few, DEVICES / 3)
        count = sum(line["platform"] == "apns" for line in all_devices)
        all_devices = [line for line in all_devices if line["platform"] != "apns"]
        check("delete", exported(hub), all_devices)
        command.report("delete", count)
    finally:
        for emulator in (hub, other, third):
            emulator.process.kill()
            emulator.process.wait()
