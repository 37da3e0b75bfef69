"""Tests an emulator's TLS. Run by tls, with the numbers of broken handshakes and of connections with broken frames."""

import base64
import concurrent.futures
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time
import urllib.parse

PORT = int(os.environ["PORT"])
PID = int(os.environ["PID"])
AUTHORITY = os.environ["AUTHORITY"]
HOST, NAME, KEY = re.match(
    r"Endpoint=sb://([a-z0-9.]+):\d+/;SharedAccessKeyName=([^;]+);SharedAccessKey=([^;]+)", os.environ["CONNECTION"]
).groups()
CHANNEL = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"


def token(resource):
    expiry = int(time.time()) + 3600
    escaped = urllib.parse.quote_plus(resource)
    code = hmac.digest(KEY.encode(), f"{escaped}\n{expiry}".encode(), hashlib.sha256)
    signature = urllib.parse.quote_plus(base64.b64encode(code))
    return f"SharedAccessSignature sr={escaped}&sig={signature}&se={expiry}&skn={NAME}"


def equal(found, expected):
    if found != expected:
        raise AssertionError(f"expected {expected!r}, got {found!r}")


def curl(*arguments):
    """Returns the output of curl, which trusts the emulator's certificate authority and connects to it by each name."""
    result = subprocess.run(
        ["curl", "-sS", "-q", "--noproxy", "*", "--max-time", "60", "--cacert", AUTHORITY,
         "--connect-to", f"{HOST}:{PORT}:127.0.0.1:{PORT}", *arguments],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    if result.returncode != 0:
        raise AssertionError(f"curl exited with {result.returncode}: {result.stderr}")
    return result.stdout


def health(*options, host="127.0.0.1"):
    url = f"https://{host}:{PORT}/$emulator/health"
    return curl(*options, "-o", os.devnull, "-w", "%{http_code} %{http_version}", url)


def curl_uses_both_versions_of_http():
    equal(health(), "200 2")
    equal(health("--http1.1"), "200 1.1")
    equal(health("--tls-max", "1.2"), "200 2")
    for host in ["localhost", HOST]:
        equal(health(host=host), "200 2")


def curl_calls_the_hub():
    base = f"https://{HOST}:{PORT}/push"
    installation = {"installationId": "tls", "platform": "apns", "pushChannel": CHANNEL, "tags": ["tls"]}
    headers = ["-H", f"Authorization: {token(base)}", "-H", "Content-Type: application/json"]
    query = "?api-version=2020-06"
    for version in ["--http2", "--http1.1"]:
        code = ["-o", os.devnull, "-w", "%{http_code}"]
        equal(curl(version, *headers, *code, "-X", "PUT", "-d", json.dumps(installation),
                   f"{base}/installations/tls{query}"), "200")  # fmt: skip
        found = json.loads(curl(version, *headers, f"{base}/installations/tls{query}"))
        equal(found["tags"], ["tls"])
        head = curl(version, *headers, "-I", f"{base}/installations/tls{query}")
        if "content-length" not in head.lower():
            raise AssertionError(f"no length in the response to HEAD: {head}")
        sent = curl(version, *headers, "-D", "-", "-H", "ServiceBusNotification-Format: apple", "-d", "{}",
                    f"{base}/messages{query}")  # fmt: skip
        location = re.search(r"(?im)^location: (\S+)", sent).group(1)
        if not location.startswith(f"{base}/messages/"):
            raise AssertionError(f"invalid location {location}")
        # Larger than the limit.
        with open("/dev/zero", "rb") as zeros:
            large = zeros.read((1 << 20) + 1)
        result = subprocess.run(
            ["curl", "-sS", "-q", "--noproxy", "*", "--cacert", AUTHORITY, version, *headers, *code, "--data-binary",
             "@-", f"https://127.0.0.1:{PORT}/push/messages{query}"],
            input=large, capture_output=True, timeout=60,
        )  # fmt: skip
        equal(result.stdout.decode(), "413")


def http2_serves_requests_in_parallel():
    urls = [f"https://127.0.0.1:{PORT}/$emulator/health"] * 200
    output = curl("--parallel", "--parallel-max", "30", *[word for url in urls for word in ("-o", os.devnull, url)],
                  "-w", "%{http_code} %{num_connects}\n")  # fmt: skip
    lines = output.split("\n")[:-1]
    equal({line.split()[0] for line in lines}, {"200"})
    connections = sum(int(line.split()[1]) for line in lines)
    if connections > 30:
        raise AssertionError(f"{connections} connections for 200 requests")


def http2_continues_while_a_request_waits():
    base = f"https://127.0.0.1:{PORT}/$emulator"
    start = time.monotonic()
    output = curl("--parallel", "-w", "%{url} %{http_code}\n", "-o", os.devnull, f"{base}/deliveries?after=1000&wait=2",
                  "-o", os.devnull, f"{base}/health")  # fmt: skip
    equal([line.split("/")[-1].split("?")[0].split(" ")[0] for line in output.split("\n")[:-1]],
          ["health", "deliveries"])  # fmt: skip
    if time.monotonic() - start < 1.9:
        raise AssertionError("the request for deliveries did not wait")


def python_keeps_its_connection():
    connection = http.client.HTTPSConnection(
        "127.0.0.1", PORT, context=ssl.create_default_context(cafile=AUTHORITY), timeout=60
    )
    for _ in range(3):
        connection.request("GET", "/$emulator/health")
        response = connection.getresponse()
        equal((response.status, response.read()), (200, b'{"status":"ok"}'))
    connection.close()


def openssl_accepts_the_certificate():
    for version, accepted in [("-tls1_3", True), ("-tls1_2", True), ("-tls1_1", False)]:
        result = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{PORT}", "-CAfile", AUTHORITY, "-verify_return_error",
             "-verify_ip", "127.0.0.1", version],
            input=b"", capture_output=True, timeout=60,
        )  # fmt: skip
        equal((version, result.returncode == 0 and b"Verify return code: 0 (ok)" in result.stdout), (version, accepted))


# Broken input


def status(name):
    with open(f"/proc/{PID}/status") as file:
        return int(re.search(rf"(?m)^{name}:\s+(\d+)", file.read()).group(1))


def descriptors():
    return len(os.listdir(f"/proc/{PID}/fd"))


def mutated(data, choice):
    data = bytearray(data)
    for _ in range(choice.choice([1, 1, 2, 8])):
        if not data:
            break
        index = choice.randrange(len(data))
        kind = choice.randrange(4)
        if kind == 0:
            data[index] = choice.randrange(256)
        elif kind == 1:
            data[index] ^= 1 << choice.randrange(8)
        elif kind == 2:
            del data[index:]
        else:
            data[index:index] = choice.randbytes(choice.randrange(1, 40))
    return bytes(data)


def connected():
    return socket.create_connection(("127.0.0.1", PORT), timeout=60)


def disconnect(peer, choice):
    if choice.randrange(2):
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def context():
    result = ssl.create_default_context(cafile=AUTHORITY)
    result.set_alpn_protocols(["h2", "http/1.1"])
    return result


def break_handshake(seed):
    """Makes a handshake in which one flight of the client is changed."""
    choice = random.Random(seed)
    received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = CONTEXT.wrap_bio(received, sent, server_hostname="127.0.0.1")
    flight = choice.randrange(3)
    peer = connected()
    try:
        while True:
            try:
                client.do_handshake()
                is_complete = True
            except ssl.SSLWantReadError:
                is_complete = False
            if is_complete:
                client.write(b"GET /$emulator/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            data = sent.read()
            peer.sendall(mutated(data, choice) if flight == 0 else data)
            if flight == 0:
                break
            flight -= 1
            reply = peer.recv(16384)
            if not reply or is_complete:
                break
            received.write(reply)
        if choice.randrange(2):
            peer.shutdown(socket.SHUT_WR)
            peer.recv(16384)
    except (OSError, ssl.SSLError):
        pass
    disconnect(peer, choice)


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


# HPACK: indexed fields of the static table, and a literal path and authority.
HEADERS = b"\x82\x87\x04\x11/$emulator/health\x01\x09127.0.0.1"


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, DATA, FIELDS, GOAWAY = 4, 0, 1, 7


def received(client, until):
    """Returns the kinds and streams of the frames up to the first one for which `until` is true, or to the end."""
    frames, data = [], b""
    while True:
        while len(data) >= 9 and len(data) >= 9 + int.from_bytes(data[:3], "big"):
            length = int.from_bytes(data[:3], "big")
            frames.append((data[3], int.from_bytes(data[5:9], "big")))
            data = data[9 + length :]
            if until(frames[-1]):
                return frames
        part = client.recv(16384)
        if not part:
            return frames
        data += part


def http2_connection(settings=b""):
    client = CONTEXT.wrap_socket(connected(), server_hostname="127.0.0.1")
    client.settimeout(60)
    client.sendall(PREFACE + frame(SETTINGS, 0, 0, settings))
    return client


def http2_answers_a_request_with_trailers():
    with http2_connection() as client:
        trailer = b"\x00\x03x-t\x011"
        client.sendall(frame(FIELDS, 4, 1, HEADERS) + frame(DATA, 0, 1, b"a") + frame(FIELDS, 5, 1, trailer))
        equal(received(client, lambda found: found[1] == 1)[-1], (FIELDS, 1))


def http2_explains_an_invalid_header_name():
    # A client in PHP sends a space at the end of a name. The literal fields have a new name.
    with http2_connection() as client:
        client.sendall(frame(FIELDS, 5, 1, HEADERS + b"\x00\x05tags \x01b"))
        # A reset of the stream would not tell the reason.
        equal([found for found in received(client, lambda found: found == (DATA, 1)) if found[1] == 1],
              [(FIELDS, 1), (DATA, 1)])  # fmt: skip


def http2_sends_no_body_for_an_invalid_head_request():
    # 101 headers are too many. The method is a literal.
    head = b"\x02\x04HEAD" + HEADERS[1:] + b"\x00\x01a\x011" * 101
    with http2_connection() as client:
        client.sendall(frame(FIELDS, 5, 1, head) + frame(FIELDS, 5, 3, HEADERS))
        frames = received(client, lambda found: found == (DATA, 3))
        equal([found for found in frames if found[1] == 1], [(FIELDS, 1)])


def http2_resets_a_response_that_the_client_does_not_accept():
    # A window of 0 bytes. The emulator's limit is 30 seconds.
    with http2_connection(struct.pack(">HI", 4, 0)) as client:
        client.sendall(frame(FIELDS, 5, 1, HEADERS))
        reset = 3
        equal(received(client, lambda found: found == (reset, 1))[-1], (reset, 1))


def break_frames(seed):
    """Sends changed HTTP/2 frames over a valid TLS connection."""
    choice = random.Random(seed)
    frames = [frame(4, 0, 0, b"")]
    for number in range(choice.randrange(1, 6)):
        stream = 2 * number + 1
        frames.append(frame(1, choice.choice([4, 5]), stream, HEADERS))
        frames.append(
            choice.choice([
                frame(0, 1, stream, choice.randbytes(20)), frame(3, 0, stream, b"\0\0\0\x08"),
                frame(8, 0, stream, b"\x7f\xff\xff\xff"), frame(6, 0, 0, bytes(8)), frame(9, 4, stream, HEADERS),
                frame(7, 0, 0, bytes(8)), frame(4, 0, 0, struct.pack(">HI", choice.randrange(8), choice.randrange(99))),
            ])  # fmt: skip
        )
    data = b"".join(frames)
    data = PREFACE + mutated(data, choice) if choice.randrange(10) else mutated(PREFACE + data, choice)
    peer = connected()
    try:
        with CONTEXT.wrap_socket(peer, server_hostname="127.0.0.1") as client:
            equal(client.selected_alpn_protocol(), "h2")
            client.sendall(data)
            if choice.randrange(2):
                client.settimeout(0.05)
                client.recv(16384)
    except OSError:
        pass
    peer.close()


CONTEXT = context()


def survives(count, attack):
    """Runs an attack many times, and checks that the emulator still works and has neither memory nor descriptors left over."""
    pool = concurrent.futures.ThreadPoolExecutor(8)
    warm_up = max(1, count // 5)
    for _ in pool.map(attack, range(warm_up)):
        pass
    memory = status("VmRSS")
    for _ in pool.map(attack, range(warm_up, warm_up + count)):
        pass
    equal(health(), "200 2")
    equal(health("--http1.1"), "200 1.1")
    for _ in range(600):
        if descriptors() <= DESCRIPTORS + 1 and status("Threads") <= THREADS + 1:
            break
        time.sleep(0.1)
    equal((descriptors() <= DESCRIPTORS + 1, status("Threads") <= THREADS + 1), (True, True))
    growth = (status("VmRSS") - memory) * 1024
    print(f"    {count} times: {growth / count:.0f} bytes each", flush=True)
    # A leaked connection has at least an SSL object of several kilobytes. Caches can grow once.
    if growth > 1024 * count + (1 << 20):
        raise AssertionError(f"memory grew by {growth / count:.0f} bytes for each connection")


def survives_broken_handshakes():
    survives(int(sys.argv[1]), break_handshake)


def survives_broken_frames():
    survives(int(sys.argv[2]), break_frames)


def http2_completes_a_request_when_the_emulator_stops():
    """The last check: stops the emulator."""
    waiting = HEADERS.replace(b"\x11/$emulator/health", b"\x1d/$emulator/deliveries?wait=20")
    with http2_connection() as client:
        client.sendall(frame(FIELDS, 5, 1, waiting))
        time.sleep(1)
        os.kill(PID, signal.SIGTERM)
        kinds = [kind for kind, stream in received(client, lambda found: False) if stream == 1]
        equal(kinds[:2], [FIELDS, DATA])


DESCRIPTORS, THREADS = descriptors(), status("Threads")
checks = [
    curl_uses_both_versions_of_http, curl_calls_the_hub, http2_serves_requests_in_parallel,
    http2_continues_while_a_request_waits, python_keeps_its_connection, openssl_accepts_the_certificate,
    http2_answers_a_request_with_trailers, http2_explains_an_invalid_header_name,
    http2_sends_no_body_for_an_invalid_head_request,
    http2_resets_a_response_that_the_client_does_not_accept,
    survives_broken_handshakes, survives_broken_frames, http2_completes_a_request_when_the_emulator_stops,
]  # fmt: skip
for check in checks:
    print(check.__name__.replace("_", " "), flush=True)
    check()
print(f"emulator-tls: {len(checks)} checks")
