"""Loads several instances of a backend. Run by several-machines:

    several-machines.py COUNT PROXY-PORT EMULATOR-PORT INSTANCE-PID OTHER-PORT

200 users register a device each. 64 connections to the proxy post COUNT payloads for them. When half of them are acknowledged, the
instance INSTANCE-PID is killed. A post that was not acknowledged is repeated. Then each user fetches the payloads that the
notifications of their device announce, and another user tries to fetch each of them. At the end, the same is checked with
the other instance, without the proxy.
"""

import asyncio
import base64
import json
import os
import platform
import signal
import sys
import time

COUNT, PROXY, EMULATOR, INSTANCE, OTHER = map(int, sys.argv[1:])
USERS = 200
CONNECTIONS = 64


class Fault(Exception):
    pass


class Client:
    """An HTTP/1.1 connection that is opened again after an error."""

    def __init__(self, port):
        self.port = port
        self.streams = None

    async def request(self, method, path, user=None, body=None):
        """Returns the status and the body, or raises OSError or asyncio.IncompleteReadError."""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        if user is not None:
            head += "Authorization: Basic " + base64.b64encode(f"{user}:secret of {user}".encode()).decode() + "\r\n"
        data = b"" if body is None else json.dumps(body).encode()
        if body is not None:
            head += "Content-Type: application/json\r\n"
        try:
            if self.streams is None:
                self.streams = await asyncio.open_connection("127.0.0.1", self.port)
            reader, writer = self.streams
            writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
            await writer.drain()
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
            headers = dict(line.split(": ", 1) for line in lines[1:] if line)
            content = await reader.readexactly(int(headers.get("content-length", 0)))
            if headers.get("connection") == "close":
                self.close()
            return int(lines[0].split(" ")[1]), content
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            raise

    def close(self):
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None


async def run(tasks, body, port=PROXY):
    """Calls body(client, task) for all tasks, on several connections. Returns the duration in seconds."""
    iterator = iter(tasks)

    async def work():
        client = Client(port)
        for task in iterator:
            await body(client, task)
        client.close()

    start = time.monotonic()
    await asyncio.gather(*(work() for _ in range(CONNECTIONS)))
    return time.monotonic() - start


async def repeated(client, *request):
    """Repeats a request until it gets a response that is not a failure of the proxy, the instance or the storage."""
    for attempt in range(100):
        try:
            status, content = await client.request(*request)
            if status not in (500, 502, 503, 504):
                return status, content, attempt
        except (OSError, asyncio.IncompleteReadError):
            pass
        await asyncio.sleep(0.05)
    raise Fault(f"{request[0]} {request[1]}: no response after 100 attempts")


def user(number):
    return f"user{number % USERS}"


def summary(name, count, duration, latencies):
    ordered = sorted(latencies)
    p50, p99 = (1000 * ordered[min(len(ordered) - 1, int(len(ordered) * part))] for part in (0.5, 0.99))
    print(f"several-machines: {name}: {count / duration:.0f}/s, p50 {p50:.1f} ms, p99 {p99:.1f} ms")


async def main():
    async def register(client, number):
        handle = f"{number:04X}"
        path = f"/api/installations/device-{number}"
        status, content, _ = await repeated(
            client, "PUT", path, user(number), {"platform": "apns", "pushChannel": handle})
        if status != 200:
            raise Fault(f"PUT {path}: {status} {content}")

    await run(range(USERS), register)

    acknowledged, latencies, repetitions, killed = {}, [], 0, None

    async def post(client, number):
        nonlocal repetitions, killed
        start = time.monotonic()
        status, content, attempts = await repeated(client, "POST", "/api/notifications", user(number), f"payload {number}")
        if status != 200:
            raise Fault(f"POST: {status} {content}")
        latencies.append(time.monotonic() - start)
        repetitions += attempts
        acknowledged[number] = user(number)
        if killed is None and len(acknowledged) >= COUNT // 2:
            os.kill(INSTANCE, signal.SIGKILL)
            killed = len(acknowledged)

    duration = await run(range(COUNT), post)
    summary(f"{COUNT} posts, one of two instances killed after {killed}", COUNT, duration, latencies)
    print(f"several-machines: {repetitions} posts repeated")

    # The notifications announce the IDs.
    emulator = Client(EMULATOR)
    announced, after = {}, 0
    while True:
        status, content = await emulator.request("GET", f"/$emulator/deliveries?after={after}")
        deliveries = json.loads(content)["deliveries"]
        if not deliveries:
            break
        for delivery in deliveries:
            payload = json.loads(delivery["body"])["secureId"]
            announced[payload] = user(int(delivery["handle"], 16))
            after = delivery["number"]
    emulator.close()

    async def fetch_all(port):
        found, latencies = {}, []

        async def fetch(client, payload):
            owner = announced[payload]
            start = time.monotonic()
            status, content, _ = await repeated(client, "GET", f"/api/notifications/{payload}", owner)
            latencies.append(time.monotonic() - start)
            # A payload of a post that failed after its announcement was sent.
            if status != 200:
                raise Fault(f"GET {payload}: {status} {content}")
            text = json.loads(content)["Payload"]
            number = int(text.split(" ")[1])
            if user(number) != owner:
                raise Fault(f"{owner} got a payload of {user(number)}")
            found[number] = owner

        duration = await run(list(announced), fetch, port)
        lost = [number for number in acknowledged if found.get(number) != acknowledged[number]]
        if lost:
            raise Fault(f"{len(lost)} of {len(acknowledged)} acknowledged payloads were lost, such as {lost[0]}")
        return duration, latencies

    duration, latencies = await fetch_all(PROXY)
    summary(f"{len(announced)} fetches", len(announced), duration, latencies)
    await fetch_all(OTHER)

    shown = 0

    async def attack(client, payload):
        nonlocal shown
        other = f"user{(int(announced[payload][4:]) + 1) % USERS}"
        status, content, _ = await repeated(client, "GET", f"/api/notifications/{payload}", other)
        if status != 404:
            shown += 1

    await run(list(announced), attack)
    if shown:
        raise Fault(f"{shown} payloads were shown to another user")
    try:
        os.kill(INSTANCE, 0)
        with open(f"/proc/{INSTANCE}/stat") as file:
            if file.read().rsplit(") ", 1)[1][0] != "Z":
                raise Fault("the instance was not killed")
    except (ProcessLookupError, FileNotFoundError):
        pass
    with open("/proc/cpuinfo") as file:
        processor = next(line.split(": ")[1].strip() for line in file if line.startswith("model name"))
    print(f"several-machines: {len(acknowledged)} acknowledged payloads, 0 lost, 0 shown to another user "
          f"({os.cpu_count()} processors, {processor}, {platform.release()})")


try:
    asyncio.run(main())
except Fault as fault:
    sys.exit(f"several-machines: {fault}")
