"""Tests an emulator with third-party clients. Run by clients, with a connection string in CONNECTION."""

import concurrent.futures
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time

import requests
from azure.servicebus._pyamqp.utils import generate_sas_token

ADDRESS, NAME, KEY = re.match(
    r"Endpoint=sb://([^/;]+)/;SharedAccessKeyName=([^;]+);SharedAccessKey=([^;]+)", os.environ["CONNECTION"]
).groups()
HOST, PORT = ADDRESS.split(":")
BASE = f"http://{ADDRESS}/push"
QUERY = "?api-version=2020-06"
TOKEN = generate_sas_token(BASE, NAME, KEY, int(time.time()) + 3600)
HEADERS = {"Authorization": TOKEN, "Content-Type": "application/json"}
CHANNEL = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"


def installation(name, tags=("clients",)):
    return json.dumps(
        {"installationId": name, "platform": "apns", "pushChannel": CHANNEL, "tags": list(tags)}
    )


def url(name):
    return f"{BASE}/installations/{name}{QUERY}"


def equal(found, expected):
    if found != expected:
        raise AssertionError(f"expected {expected!r}, got {found!r}")


def curl(*arguments, body="", status=0):
    """Returns the output of curl, called with the token and a timeout of 20 seconds."""
    headers = [word for name, value in HEADERS.items() for word in ("-H", f"{name}: {value}")]
    result = subprocess.run(
        ["curl", "-sS", "-q", "--noproxy", "*", "--max-time", "20", *headers, *arguments],
        input=body, capture_output=True, text=True, timeout=60,
    )
    if result.returncode != status:
        raise AssertionError(f"curl exited with {result.returncode}: {result.stderr}")
    return result.stdout


def curl_keeps_its_connection():
    format = ["-o", os.devnull, "-w", "%{http_code} %{num_connects}\n"]
    put = [*format, "-X", "PUT", "-d", installation("curl"), url("curl")]
    get = [*format, url("curl")]
    next_call = ["--next", "-q", "--noproxy", "*", "-sS", "-H", f"Authorization: {TOKEN}"]
    equal(curl(*put, *next_call, *get, *next_call, *get), "200 1\n200 0\n200 0\n")


def curl_uploads_in_chunks():
    body = installation("chunked", ["a" * 100 + str(number) for number in range(60)])
    equal(curl("-T", "-", "-H", "Transfer-Encoding: chunked", "-w", "%{http_code}", url("chunked"), body=body), "200")
    equal(len(json.loads(curl(url("chunked")))["tags"]), 60)


def curl_waits_for_100_continue():
    # Without a 100 response, curl waits for a minute and exceeds its timeout.
    options = ["-X", "PUT", "-H", "Expect: 100-continue", "--expect100-timeout", "60", "-w", "%{http_code} %{size_upload}"]
    body = installation("expect")
    equal(curl(*options, "-d", body, url("expect")), f"200 {len(body)}")
    # The emulator rejects the length before the body is sent.
    result = curl(*options, "-o", os.devnull, "--data-binary", "@-", url("expect"), body="a" * (2 << 20)).split()
    equal(result, ["413", "0"])


def curl_sends_head():
    size = curl("-o", os.devnull, "-w", "%{size_download}", url("curl"))
    head = curl("-I", url("curl"))
    equal(head.splitlines()[0], "HTTP/1.1 200 OK")
    equal(re.search(r"(?im)^content-length: (\d+)", head).group(1), size)
    equal(len(re.findall(r"(?im)^date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r?$", head)), 1)


def curl_sends_other_target_forms():
    equal(curl("--request-target", url("curl"), "-w", "%{http_code}", "-o", os.devnull, BASE), "200")
    equal(curl("-X", "OPTIONS", "--request-target", "*", "-w", "%{http_code}", "-o", os.devnull, BASE), "204")


def curl_uses_http_1_0():
    equal(curl("--http1.0", "-w", "%{http_code} %{http_version}", "-o", os.devnull, url("curl")), "200 1.1")


def curl_receives_a_sub_code():
    head = subprocess.run(["curl", "-sSi", "--noproxy", "*", url("curl")], capture_output=True, text=True, timeout=60).stdout
    equal(head.splitlines()[0], "HTTP/1.1 401 40102: Missing authorization token")


def requests_keeps_its_connection():
    with requests.Session() as session:
        session.trust_env = False
        session.headers.update(HEADERS)
        for number in range(50):
            equal(session.put(url(f"requests-{number}"), data=installation(f"requests-{number}")).status_code, 200)
            equal(session.get(url(f"requests-{number}")).json()["pushChannel"].lower(), CHANNEL)
            equal(session.head(url(f"requests-{number}")).status_code, 200)
        pools = session.get_adapter(BASE).poolmanager.pools
        (pool,) = [pools[key] for key in pools.keys()]
        equal(pool.num_connections, 1)
        equal(pool.num_requests, 150)


def requests_uploads_in_chunks():
    body = installation("generator", [str(number) for number in range(50)]).encode()
    pieces = (body[start : start + 7] for start in range(0, len(body), 7))
    with requests.Session() as session:
        session.trust_env = False
        equal(session.put(url("generator"), data=pieces, headers=HEADERS).status_code, 200)
        equal(len(session.get(url("generator"), headers=HEADERS).json()["tags"]), 50)


def many_clients_send_concurrently():
    def send(number):
        with requests.Session() as session:
            session.trust_env = False
            for _ in range(20):
                equal(session.put(url(f"many-{number}"), data=installation(f"many-{number}"), headers=HEADERS).status_code, 200)

    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        list(pool.map(send, range(32)))


def a_socket_pipelines_requests():
    def request(method, name, body=""):
        return (
            f"{method} /push/installations/{name}{QUERY} HTTP/1.1\r\nHost: {ADDRESS}\r\nAuthorization: {TOKEN}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        )

    calls = [
        call
        for number in range(100)
        for call in (
            request("PUT", f"pipe-{number}", installation(f"pipe-{number}")),
            request("HEAD", f"pipe-{number}"),
            request("GET", f"pipe-{number}"),
        )
    ]
    with socket.create_connection((HOST, int(PORT)), timeout=20) as connection:
        connection.sendall("".join(calls).encode())
        stream = connection.makefile("rb")
        for number in range(100):
            for method, body in (("PUT", b""), ("HEAD", b""), ("GET", f'"pipe-{number}"'.encode())):
                response = http.client.HTTPResponse(_Stream(stream), method=method)
                response.begin()
                equal(response.status, 200)
                found = response.read()
                equal(body in found, True)
        # The connection contains no further data.
        connection.shutdown(socket.SHUT_WR)
        equal(stream.read(), b"")


class _Stream:
    """A stand-in for the socket that HTTPResponse reads from, without closing it."""

    def __init__(self, stream):
        self.stream = stream

    def makefile(self, mode):
        return _Unclosed(self.stream)


class _Unclosed:
    def __init__(self, stream):
        self.stream = stream

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def close(self):
        pass


def a_socket_sends_invalid_requests():
    for text in [
        "GET\r\n\r\n", "GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n",
    ]:
        with socket.create_connection((HOST, int(PORT)), timeout=20) as connection:
            connection.sendall(text.encode("latin-1"))
            response = connection.makefile("rb").read().decode()
            equal(response.split(" ")[:2], ["HTTP/1.1", "400"])
            equal(response.count("HTTP/1.1 "), 1)


def main():
    checks = [
        curl_keeps_its_connection, curl_uploads_in_chunks, curl_waits_for_100_continue, curl_sends_head,
        curl_sends_other_target_forms, curl_uses_http_1_0, curl_receives_a_sub_code, requests_keeps_its_connection,
        requests_uploads_in_chunks, many_clients_send_concurrently, a_socket_pipelines_requests, a_socket_sends_invalid_requests,
    ]
    for check in checks:
        try:
            check()
        except Exception as error:
            sys.exit(f"{check.__name__}: {type(error).__name__}: {error}")
    print(f"emulator-clients: {len(checks)} checks")


if __name__ == "__main__":
    main()
