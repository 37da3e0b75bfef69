"""Tests the emulator's page in a headless Chromium through the DevTools protocol, with only the standard library."""

import base64
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request


class Browser:
    """A tab of a headless Chromium."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             f"--user-data-dir={folder}", "--no-proxy-server", "--disable-background-networking",
             "--window-size=1400,900", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        path = os.path.join(folder, "DevToolsActivePort")
        port = wait_for("the browser", lambda: os.path.exists(path) and open(path).read().split("\n")[0])
        tabs = wait_for("a tab", lambda: [
            tab for tab in json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json")) if tab["type"] == "page"])
        address = tabs[0]["webSocketDebuggerUrl"].removeprefix(f"ws://127.0.0.1:{port}")
        self.socket = socket.create_connection(("127.0.0.1", int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.input = self.socket.makefile("rb")
        while self.input.readline() not in (b"\r\n", b""):
            pass
        self.number = 0
        self.errors = []
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def send(self, text):
        data = text.encode()
        length = len(data)
        head = bytes([0x81]) + (bytes([0x80 | length]) if length < 126 else
                                bytes([0xFE]) + struct.pack(">H", length) if length < 65536 else
                                bytes([0xFF]) + struct.pack(">Q", length))
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, second = self.input.read(2)
            length = second & 0x7F
            if length == 126:
                length, = struct.unpack(">H", self.input.read(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.input.read(8))
            text += self.input.read(length)
            if first & 0x80:
                return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        self.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = self.receive()
            if message.get("method") == "Runtime.exceptionThrown":
                self.errors.append(message["params"]["exceptionDetails"].get("exception", {}).get("description"))
            if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.errors.append(message["params"]["entry"]["text"])
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def open(self, url):
        self.call("Page.navigate", url=url)
        wait_for("the page", lambda: self.evaluate("document.readyState") == "complete")

    def key(self, name, code, text=None):
        for kind in ["keyDown", "keyUp"]:
            parameters = {"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code}
            if text and kind == "keyDown":
                parameters["text"] = text
            self.call("Input.dispatchKeyEvent", **parameters)

    def screenshot(self, path, dark=False, width=1400, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        time.sleep(0.8)
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()


def wait_for(what, condition):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            found = condition()
            if found:
                return found
        except (OSError, ValueError):
            pass
        time.sleep(0.05)
    raise SystemExit(f"timed out waiting for {what}")


checks = 0


def expect(condition, what):
    global checks
    if not condition:
        raise SystemExit(f"emulator-page: {what}")
    checks += 1


def installation(nhub, environment, value):
    subprocess.run([nhub, "installation", "put", "-"], input=json.dumps(value), text=True, check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, **environment})


def send(nhub, environment, *arguments):
    subprocess.run([nhub, "send", *arguments], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment})


def main(nhub, chromium, pictures):
    with tempfile.TemporaryDirectory() as folder:
        emulator = subprocess.Popen(
            [nhub, "emulator", "--port", "0", "--hub", "push", "--hub", "other", "--json"], stdout=subprocess.PIPE,
            text=True)
        browser = None
        try:
            report = json.loads(emulator.stdout.readline())
            environment = {"NOTIFICATION_HUB_CONNECTION_STRING": report["hubs"][0]["connectionString"],
                           "NOTIFICATION_HUB_NAME": "push"}
            browser = Browser(chromium, folder)
            check(browser, nhub, environment, report, pictures)
        finally:
            if browser:
                browser.close()
            emulator.terminate()
            emulator.wait()
    print(f"emulator-page: {checks} checks")


def look_at_start(browser, nhub, environment, pictures):
    """The empty page says how to connect, and its command works as it is."""
    text = browser.evaluate
    expect(not text("document.getElementById('start').hidden"), "an empty hub shows no way to connect")
    wait_for("the connection string", lambda: text("document.getElementById('connection').textContent")
             == environment["NOTIFICATION_HUB_CONNECTION_STRING"])
    if pictures:
        browser.screenshot(os.path.join(pictures, "empty.png"))
    text("document.querySelector('[data-copies=connection]').click()")
    wait_for("the copy", lambda: text("document.querySelector('[data-copies=connection]').textContent") in ("Copied", "Selected"))
    command = text("document.getElementById('command').textContent")
    path = os.path.dirname(nhub) + ":" + os.environ["PATH"]
    subprocess.run(["sh", "-ec", command], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PATH": path})
    wait_for("the device", lambda: "phone-1" in text("document.getElementById('installation-list').textContent"))
    expect(text("document.getElementById('start').hidden"), "the page still says how to connect")


def look_at_sizes(browser, nhub, environment, pictures):
    """Many equal deliveries are one card; failures, scheduled messages and requests are shown."""
    text = browser.evaluate
    lines = [json.dumps({"installationId": f"bulk-{i}", "platform": "fcmv1", "pushChannel": f"token-{i}", "tags": ["bulk"]})
             for i in range(10_000)]
    subprocess.run([nhub, "import", "-"], input="\n".join(lines), text=True, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
    subprocess.run([nhub, "send", "fcmv1", "--tag", "bulk", "-"], text=True, check=True, stdout=subprocess.DEVNULL,
                   input=json.dumps({"message": {"notification": {"body": "Big news"}}}), env={**os.environ, **environment})
    wait_for("the group", lambda: "10,000 devices" in text("document.querySelector('#delivery-list li').textContent"))
    if pictures:
        browser.screenshot(os.path.join(pictures, "many.png"))
    text("document.querySelector('input[value=tag]').click(); document.getElementById('target').value = 'nobody';"
         "document.querySelector('#send button').click()")
    wait_for("the result", lambda: "no device received it" in text("document.getElementById('result').textContent"))
    expect(text("document.getElementById('result').className") == "warn", "a message that nobody received looks delivered")
    wait_for("the failed message", lambda: "no device received it" in text("document.querySelector('#delivery-list li').textContent"))
    text("document.getElementById('format').value = 'fcmv1'; document.getElementById('target').value = 'bulk';"
         "document.getElementById('body').value = JSON.stringify({message: {priority: 'high'}});"
         "document.querySelector('#send button').click()")
    wait_for("the rejection", lambda: "not delivered to 10000 devices: rejected by Firebase" in text("document.querySelector('#delivery-list li').textContent"))
    subprocess.run([nhub, "schedule", "template", "--tag", "news", "--in", "1h", "message=Later"], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, **environment})
    wait_for("the scheduled message", lambda: text("document.querySelectorAll('#scheduled-list li').length") == 1)
    subprocess.run([nhub, "installation", "get", "nobody"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, **environment})
    wait_for("the request", lambda: "/installations/nobody" in text("document.querySelector('#request-list li').textContent"))
    expect(text("document.querySelector('#request-list li .cause')?.textContent"), "the log names no cause")
    if pictures:
        browser.screenshot(os.path.join(pictures, "nobody.png"))
        text("document.getElementById('requests-title').scrollIntoView()")
        browser.screenshot(os.path.join(pictures, "log.png"))
        text("window.scrollTo(0, 0)")


def check(browser, nhub, environment, report, pictures):
    page = report["page"]
    browser.open(page)
    text = browser.evaluate
    wait_for("the page to be live", lambda: text("document.getElementById('state').textContent") == "live")
    expect(text("[...document.querySelectorAll('#hub option')].map((o) => o.value).join()") == "push,other",
           "the hubs are not listed")
    text("window.mark = 'the same document'")
    look_at_start(browser, nhub, environment, pictures)

    # New installations appear without a reload.
    installation(nhub, environment, {
        "installationId": "phone-1", "platform": "apns", "pushChannel": "00fc13ad", "userId": "zoe",
        "tags": ["news", "dinner"],
        "templates": {"alert": {"body": "{\"aps\":{\"alert\":{\"title\":\"Kitchen\",\"body\":\"$(message)\"}}}"}}})
    installation(nhub, environment, {
        "installationId": "pixel-7", "platform": "fcmv1", "pushChannel": "token-of-the-pixel", "tags": ["news"],
        "templates": {"plain": {"body": "{\"message\":{\"notification\":{\"body\":\"$(message)\"}}}"}}})
    wait_for("the installations", lambda: text("document.querySelectorAll('#installation-list li').length") == 2)
    expect("phone-1" in text("document.getElementById('installation-list').textContent"), "the phone is not listed")

    # Send with the keyboard only: tab from the body to the tag and press Enter.
    text("document.getElementById('body').value = JSON.stringify({message: 'Dinner is ready'})")
    text("document.getElementById('body').focus()")
    browser.key("Tab", 9)
    browser.key("Tab", 9)
    expect(text("document.activeElement.id") == "target", "the tag is not the second tab stop after the body")
    browser.call("Input.insertText", text="news")
    browser.key("Enter", 13, "\r")
    cards = "document.querySelectorAll('#delivery-list li').length"
    wait_for("the cards", lambda: text(cards) == 2)
    expect(text("document.querySelector('#delivery-list .text').textContent") == "Dinner is ready", "unexpected text")
    expect("Sent as NH-" in text("document.getElementById('result').textContent"), "the form does not show the sent message's ID")
    expect("deliver" in text("document.getElementById('announcement').textContent").lower(),
           "the delivery is not announced to screen readers")
    expect(text("window.mark") == "the same document", "the page was reloaded")

    # Markup in a notification is shown as text.
    markup = "<script>window.broken = true</script><img src=x onerror='window.broken = true'>"
    send(nhub, environment, "template", "--tag", "dinner", "message=" + markup)
    wait_for("the third card", lambda: text(cards) == 3)
    expect(text("document.querySelector('#delivery-list .text').textContent") == markup, "the markup is not shown as text")
    expect(text("window.broken") is None and text("document.querySelectorAll('img').length") == 0, "markup was inserted")

    # A broadcast requires an explicit choice, and the hub's errors are shown.
    text("document.getElementById('target').value = ''")
    text("document.querySelector('#send button').click()")
    expect(text("document.getElementById('target').validity.valueMissing"), "an empty tag was accepted")
    text("document.querySelector('input[value=everyone]').click()")
    expect(text("document.getElementById('target').disabled"), "the tag field is enabled for a broadcast")
    text("document.getElementById('body').value = 'not JSON'")
    text("document.querySelector('#send button').click()")
    wait_for("the hub's error", lambda: "The hub returned 400" in text("document.getElementById('result').textContent"))
    expect(text(cards) == 3, "a rejected message was delivered")
    text("document.getElementById('body').value = JSON.stringify({message: 'To all of you'})")
    text("document.querySelector('#send button').click()")
    wait_for("the cards for everyone", lambda: text(cards) == 5)
    expect(text("document.querySelectorAll('#warning-list li').length") == 0, "an explicit broadcast caused a warning")
    send(nhub, environment, "template", "--everyone", "message=To all of you")
    wait_for("the warning about a broadcast", lambda: text("document.querySelectorAll('#warning-list li').length") == 1)
    expect("broadcast" in text("document.getElementById('warning-list').textContent"), "unexpected warning")

    # The filter and the hub selection.
    text("const f = document.getElementById('filter'); f.value = 'PIXEL'; f.dispatchEvent(new Event('input'))")
    wait_for("the filtered cards", lambda: text(cards) == 3)
    text("f.value = 'nothing like this'; f.dispatchEvent(new Event('input'))")
    wait_for("no card", lambda: text(cards) == 0)
    expect("No delivery contains" in text("document.getElementById('no-deliveries').textContent"), "the empty filter is not explained")
    text("f.value = ''; f.dispatchEvent(new Event('input'))")
    wait_for("all cards", lambda: text(cards) == 7)
    text("const h = document.getElementById('hub'); h.value = 'other'; h.dispatchEvent(new Event('change'))")
    wait_for("the empty second hub", lambda: text(cards) == 0)
    text("h.value = 'push'; h.dispatchEvent(new Event('change'))")
    wait_for("the first hub again", lambda: text(cards) == 7)

    if pictures:
        text("document.querySelector('#delivery-list details').open = true")
        browser.screenshot(os.path.join(pictures, "light.png"))
        browser.screenshot(os.path.join(pictures, "dark.png"), dark=True)
        browser.screenshot(os.path.join(pictures, "narrow.png"), width=420)
        browser.screenshot(os.path.join(pictures, "light.png"))
    look_at_sizes(browser, nhub, environment, pictures)
    expect(text("document.documentElement.scrollWidth <= window.innerWidth"), "the page is wider than its window")
    expect(browser.errors == [], f"the browser reported errors: {browser.errors}")

    # A page of another origin cannot change state, with fetch, a form-like request or another name of this machine.
    other = page.replace("127.0.0.1", "localhost")
    browser.open(other)
    wait_for("the page on localhost", lambda: text("document.getElementById('state').textContent") == "live")
    reset = page + "reset"
    for options in ["{method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}",
                    "{method: 'POST', mode: 'no-cors', body: '{}'}"]:
        text(f"document.querySelector('meta') && fetch('{reset}', {options}).catch((error) => String(error))")
    with urllib.request.urlopen(page + "hubs") as response:
        expect(json.load(response)["hubs"][0]["deliveries"] == 10007, "another origin reset the hub")
    with urllib.request.urlopen(page + "installations?hub=push") as response:
        expect(json.load(response)["count"] == 10002, "another origin reset the hub")
    for headers in [{"Content-Type": "application/json", "Origin": "https://evil.example"},
                    {"Content-Type": "text/plain"}, {"Content-Type": "application/json", "Host": "evil.example"}]:
        try:
            urllib.request.urlopen(urllib.request.Request(reset, b"{}", headers))
            expect(False, f"a request with {headers} was accepted")
        except urllib.error.HTTPError as error:
            expect(error.code in (403, 415, 421), f"{headers}: {error.code}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
