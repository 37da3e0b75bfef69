"""Sends captured requests to an emulator. Run by emulator-replay: DIRECTORY with NAME.jsonl files, and the FILE of rejections.

A line of FILE has the client, the number of the request, the status and the reason, separated by tabs.
"""

import base64
import collections
import glob
import hashlib
import hmac
import http.client
import json
import os
import re
import ssl
import sys
import time
import urllib.parse

PORT, NAME, KEY = re.match(
    r"Endpoint=sb://127.0.0.1:(\d+)/;SharedAccessKeyName=([^;]+);SharedAccessKey=([^;]+)", os.environ["CONNECTION"]
).groups()
EXPIRY = str(int(time.time()) + 3600)
# The service allows five minutes to seven days.
TIME = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 7200))
CONTEXT = ssl.create_default_context(cafile=os.environ["AUTHORITY"])
REGISTRATION = (
    '<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><AppleRegistrationDescription'
    ' xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><DeviceToken>AB</DeviceToken>'
    "</AppleRegistrationDescription></content></entry>"
)


def signed(resource):
    """Returns a token for a resource in the spelling of a client."""
    code = hmac.digest(KEY.encode(), f"{resource}\n{EXPIRY}".encode(), hashlib.sha256)
    signature = urllib.parse.quote_plus(base64.b64encode(code))
    return f"SharedAccessSignature sr={resource}&sig={signature}&se={EXPIRY}&skn={NAME}"


class Connection:
    def __init__(self):
        self.open()

    def open(self):
        self.connection = http.client.HTTPSConnection("127.0.0.1", int(PORT), context=CONTEXT, timeout=60)

    def send(self, method, target, headers, body):
        self.connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in headers:
            self.connection.putheader(name, value)
        if body or method in ("POST", "PUT", "PATCH"):
            self.connection.putheader("Content-Length", str(len(body)))
        self.connection.endheaders(body or None)
        response = self.connection.getresponse()
        text = response.read().decode(errors="replace")
        if response.getheader("Connection") == "close":
            self.open()
        return response.status, response.headers, text


def request(captured, last):
    """Returns a captured request with a new token and time, and with the IDs of the messages that were sent last."""
    method, target, _ = captured["request"].split(" ")
    old, new = "", ""
    for kind, pattern in [("messages", r"NH-\d+|[0-9a-f]{32}_"), ("schedulednotifications", r"[0-9a-f]{32}_|\d+-\d+-")]:
        match = re.match(rf"/\w+/{kind}/((?:{pattern})[^?]*)", target)
        if match and kind in last:
            old, new = match[1], last[kind]
            target = target.replace(old, new)
    body = captured["body"].encode() if "body" in captured else base64.b64decode(captured.get("bodyBase64", ""))
    headers = []
    for name, value in captured["headers"]:
        lower = name.lower()
        if lower in ("content-length", "transfer-encoding", "connection"):
            continue
        if lower == "host":
            value = f"127.0.0.1:{PORT}"
        elif lower == "authorization":
            # Some clients sign the resource in lowercase.
            resource = re.search(r"sr=([^&]+)", value)[1]
            value = signed(re.sub(re.escape(old), new, resource, flags=re.IGNORECASE) if old else resource)
        elif lower == "servicebusnotification-scheduletime":
            value = re.sub(r"\d{4}-\d\d-\d\d('?)T('?)\d\d:\d\d:\d\d", lambda m: TIME.replace("T", f"{m[1]}T{m[2]}"), value)
        headers.append((name, value))
    return method, target, headers, body


directory, rejected_file = sys.argv[1:]
rejected = {}
with open(rejected_file) as file:
    for line in file:
        if not line.startswith("#"):
            client, number, status, reason = line.rstrip("\n").split("\t")
            rejected[client, int(number)] = (int(status), reason)

failures, counts = [], collections.Counter()
for path in sorted(glob.glob(os.path.join(directory, "*.jsonl"))):
    client = os.path.basename(path)[: -len(".jsonl")]
    with open(path) as file:
        captures = [json.loads(line) for line in file]
    connection = Connection()
    # The captured IDs of registrations were created by another emulator.
    ids = {match[1] for capture in captures if (match := re.search(r"/registrations/(\d+-\d+-\d+)\?", capture["request"]))}
    for id in sorted(ids):
        headers = [
            ("Host", f"127.0.0.1:{PORT}"), ("Content-Type", "application/atom+xml;type=entry;charset=utf-8"),
            ("Authorization", signed(urllib.parse.quote_plus("https://127.0.0.1/push"))),
        ]  # fmt: skip
        status, _, text = connection.send(
            "PUT", f"/push/registrations/{id}?api-version=2020-06", headers, REGISTRATION.encode()
        )
        if status not in (200, 410):
            failures.append(f"{client}: cannot create registration {id}: {status} {text}")
    last = {}
    for number, capture in enumerate(captures, 1):
        method, target, headers, body = request(capture, last)
        status, response, text = connection.send(method, target, headers, body)
        match = re.search(r"/push/(messages|schedulednotifications)/(?:\$batch/)?([^/?]+)", response.get("Location") or "")
        if match:
            last[match[1]] = match[2]
        expected = rejected.pop((client, number), (None, ""))[0]
        accepted = 200 <= status < 300 if expected is None else status == expected
        counts["accepted" if expected is None else "rejected"] += accepted
        if not accepted:
            detail = re.search(r"<Detail>(.*?)\.?TrackingId", text)
            failures.append(f"{client}\t{number}\t{status}\t{detail[1] if detail else text[:100]} ({method} {target[:90]})")
    connection.connection.close()
for client, number in rejected:
    failures.append(f"{client} {number}: no such request, but it is in the list of rejections")
print("\n".join(failures), file=sys.stderr, end="\n" if failures else "")
print(f"emulator-replay: {counts['accepted']} requests accepted, {counts['rejected']} rejected as listed, {len(failures)} failures")
sys.exit(1 if failures else 0)
