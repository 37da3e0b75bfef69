"""Floods an emulator with HTTP/2 frames, and stalls all of its connections. Run by floods.

For each flood, prints the sent frames, the connections that the emulator ended, and its CPU time relative to that of one client with
ordinary requests. A health check runs during each flood.
"""

import os
import socket
import ssl
import struct
import sys
import time

PORT, PID, SECONDS = int(os.environ["PORT"]), int(os.environ["PID"]), float(sys.argv[1])
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, PADDED = 1, 4, 8
# The method (GET or POST), the scheme and the path / of the static table, and the authority as a literal.
PATH = b"/$emulator/health"
HOST = f"127.0.0.1:{PORT}".encode()
NAME = b"\x01" + bytes([len(HOST)]) + HOST
GET = b"\x82\x87\x04" + bytes([len(PATH)]) + PATH + NAME
POST = b"\x83\x87\x84" + NAME
CONNECTIONS = 512


def context(*protocols):
    result = ssl.create_default_context(cafile=os.environ["AUTHORITY"])
    result.set_alpn_protocols(protocols)
    return result


TLS, TLS1 = context("h2"), context("http/1.1")


def connect(tls=TLS):
    return tls.wrap_socket(socket.create_connection(("127.0.0.1", PORT), timeout=60), server_hostname="127.0.0.1")


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def health():
    """Returns the seconds until a health check over a new connection succeeds."""
    start = time.monotonic()
    with connect(TLS1) as client:
        client.sendall(b"GET " + PATH + b" HTTP/1.1\r\nHost: " + HOST + b"\r\nConnection: close\r\n\r\n")
        answer = b""
        while chunk := client.recv(4096):
            answer += chunk
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise AssertionError(f"health check: {answer[:60]}")
    return time.monotonic() - start


def cpu():
    """Returns the CPU seconds that the emulator has used."""
    with open(f"/proc/{PID}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def frames_of(received):
    """Returns the kind, flags, stream and payload of each complete frame."""
    found = []
    while len(received) >= 9 and len(received) >= 9 + (length := int.from_bytes(received[:3], "big")):
        found.append((received[3], received[4], int.from_bytes(received[5:9], "big"), received[9:9 + length]))
        received = received[9 + length:]
    return found


def goaway(received):
    """Returns the error code of a GOAWAY frame, or None."""
    codes = [int.from_bytes(payload[4:8], "big") for kind, _, _, payload in frames_of(received) if kind == GOAWAY]
    return codes[-1] if codes else None


def flood(start, frames):
    """Sends frames on new connections for some seconds. Returns the numbers of frames and connections, and the codes of their ends."""
    end, sent, connections, codes, slowest = time.monotonic() + SECONDS, 0, 0, set(), 0.0
    while time.monotonic() < end:
        with connect() as client:
            connections += 1
            client.settimeout(10)
            received = b""
            try:
                client.sendall(PREFACE + frame(SETTINGS, 0, 0) + start)
                for number in range(0, 20_000, 100):
                    client.sendall(b"".join(frames(2 * n + 3) for n in range(number, number + 100)))
                    sent += 100
                    if time.monotonic() > end:
                        break
                slowest = max(slowest, health())
                while chunk := client.recv(65536):
                    received += chunk
            except OSError:
                # The emulator has closed the connection; its last frame may be lost.
                pass
            codes.add(goaway(received))
    return sent, connections, codes, slowest


def requests():
    """Sends ordinary requests for some seconds, and returns their number."""
    end, count = time.monotonic() + SECONDS, 0
    with connect() as client:
        # The default window holds the responses of 4,369 requests.
        window = frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 0x7FFF_0000))
        client.sendall(PREFACE + frame(SETTINGS, 0, 0) + window)
        stream = 1
        while time.monotonic() < end:
            client.sendall(frame(HEADERS, END_STREAM | END_HEADERS, stream, GET))
            received = b""
            while not any(flags & END_STREAM and found == stream for kind, flags, found, _ in frames_of(received)):
                chunk = client.recv(65536)
                if not chunk:
                    raise AssertionError(f"the emulator closed the connection after {count} requests")
                received += chunk
            stream, count = stream + 2, count + 1
    return count


OPEN = frame(HEADERS, END_HEADERS, 1, POST)
FLOODS = {
    "PING": (b"", lambda stream: frame(PING, 0, 0, bytes(8))),
    "PING responses": (b"", lambda stream: frame(PING, 1, 0, bytes(8))),
    "SETTINGS": (b"", lambda stream: frame(SETTINGS, 0, 0)),
    "PRIORITY": (b"", lambda stream: frame(PRIORITY, 0, stream, b"\0\0\0\0\1")),
    "WINDOW_UPDATE of the connection": (b"", lambda stream: frame(WINDOW_UPDATE, 0, 0, b"\0\0\0\1")),
    "WINDOW_UPDATE of a stream": (OPEN, lambda stream: frame(WINDOW_UPDATE, 0, 1, b"\0\0\0\1")),
    "invalid WINDOW_UPDATE": (b"", lambda stream: frame(HEADERS, 4, stream, POST) + frame(WINDOW_UPDATE, 0, stream, bytes(4))),
    "empty DATA": (OPEN, lambda stream: frame(DATA, 0, 1)),
    "padding": (OPEN, lambda stream: frame(DATA, PADDED, 1, b"\x03\0\0\0")),
    "DATA of one byte": (OPEN, lambda stream: frame(DATA, 0, 1, b"a")),
    "unknown frames": (b"", lambda stream: frame(0xF0, 0, 0, b"a")),
    "RST_STREAM after each request": (b"", lambda stream: frame(HEADERS, 5, stream, GET) + frame(RST_STREAM, 0, stream, bytes(4))),
    "CONTINUATION": (frame(HEADERS, 0, 1, GET), lambda stream: frame(CONTINUATION, 0, 1)),
    "empty HEADERS": (b"", lambda stream: frame(HEADERS, 5, stream)),
}

# Ordinary requests.
health()
before = cpu()
count = requests()
baseline = (cpu() - before) / SECONDS
print(f"{count} requests, {baseline:.2f} CPU seconds per second", flush=True)

for name, (start, frames) in FLOODS.items():
    before, begin = cpu(), time.monotonic()
    sent, connections, codes, slowest = flood(start, frames)
    used = (cpu() - before) / (time.monotonic() - begin)
    print(f"{name}: {sent} frames, {connections} connections, {used:.2f} CPU seconds per second, "
          f"{used / baseline:.1f} times that of requests, health check {slowest * 1000:.0f} ms", flush=True)
    if codes == {None} or 0 in codes:
        raise AssertionError(f"{name}: the emulator did not end the connection with an error: {codes}")
    if used > baseline:
        raise AssertionError(f"{name}: the flood uses more CPU time than one client with ordinary requests")

for name, tls, text in [
    ("bodies", TLS1, b"PUT /push HTTP/1.1\r\nHost: " + HOST + b"\r\nContent-Length: 9\r\n\r\n"),
    ("HTTP/2 bodies", TLS, PREFACE + frame(SETTINGS, 0, 0) + OPEN),
    ("handshakes", None, b"\x16\x03\x01"),
]:
    clients = []
    for _ in range(CONNECTIONS):
        client = connect(tls) if tls else socket.create_connection(("127.0.0.1", PORT), timeout=60)
        client.sendall(text)
        clients.append(client)
    # Each stalled connection ends only because of the next client: the limits without one are 10 and 30 seconds.
    seconds = health()
    for client in clients:
        client.close()
    print(f"{CONNECTIONS} stalled {name}: health check {seconds * 1000:.0f} ms", flush=True)
    if seconds > 8:
        raise AssertionError(f"the health check waited for {seconds:.1f} s")
print(f"emulator-floods: {len(FLOODS)} floods, 3 stalls")
