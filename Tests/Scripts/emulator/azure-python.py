"""Compares the tool sas with the tokens of Microsoft's libraries for Python. Run by azure-python, with the tool's path.

For each case, the tool must sign the same token as the library, accept it, reject it with another signature, and sign in its
default encoding the same token as default_token.
"""

import base64
import hashlib
import hmac
import importlib
import multiprocessing
import os
import random
import subprocess
import sys
import urllib.parse
from dataclasses import dataclass

CASES = 1000
TOOL = sys.argv[1]

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
# Letters of two to four bytes, a combining mark, and two letters that Unicode lower-cases to i and k.
NON_ASCII = "éßÅñЖΩя日本한𐐀e\u0301\u0130\u212a"
PATH = " +&=~!'()*:@,;$\"<>[]{}|^`"
TEXT = PATH + "%/?#\\"


@dataclass
class Library:
    name: str
    token: object  # A function of resource, key name, key and expiry.
    encoding: str  # The tool's name of the encoding.


@dataclass
class Case:
    library: str
    number: int
    encoding: str
    resource: str
    name: str
    key: str
    expiry: int
    token: str
    forged: str
    with_query: str


class Fault(Exception):
    pass


def libraries():
    def amqp(package):
        return importlib.import_module(package + "._pyamqp.utils").generate_sas_token

    return [
        Library("azure-servicebus", amqp("azure.servicebus"), "python"),
        Library("azure-eventhub", amqp("azure.eventhub"), "python"),
    ]


def text(chance, marks, max_length):
    alphabets = chance.choice([(UNRESERVED,), (marks,), (NON_ASCII,), (UNRESERVED, marks), (UNRESERVED, marks, NON_ASCII)])
    return "".join(chance.choice(chance.choice(alphabets)) for _ in range(chance.randint(1, max_length)))


def first_valid(make, is_valid):
    while not is_valid(value := make()):
        pass
    return value


def cases(library):
    chance = random.Random("azure-python " + library.name)
    letters, digits = UNRESERVED[26:52], "0123456789"
    for number in range(CASES):
        labels = [
            chance.choice(letters) + "".join(chance.choice(letters + digits + "-") for _ in range(chance.randrange(12))) + "0"
            for _ in range(chance.randint(1, 4))
        ]
        segments = [
            first_valid(lambda: text(chance, PATH, 12), lambda segment: segment not in (".", ".."))
            for _ in range(chance.randrange(5))
        ]
        resource = "/".join([".".join(labels), *segments]) + chance.choice(["", "", "", "/"])
        resource = chance.choice(["https", "sb", "amqps"]) + "://" + resource
        name = first_valid(lambda: text(chance, TEXT, 20), lambda name: name[0] != "-")
        key = text(chance, TEXT + "\t\n", 100)
        expiry = chance.randrange(1_798_761_600, chance.choice([1 << 31, 1 << 32, 253_402_300_800]))

        token = library.token(resource, name, key, expiry)
        yield Case(
            library.name, number, library.encoding, resource, name, key, expiry, token,
            forged=forged(chance, token), with_query=resource + chance.choice(["", "", "?api-version=2020-06"]),
        )


def forged(chance, token):
    """Returns a token with one changed bit in its signature, which remains valid Base64 of 32 bytes."""
    start = token.index("&sig=") + len("&sig=")
    end = token.index("&se=")
    code = bytearray(base64.b64decode(urllib.parse.unquote(token[start:end]), validate=True))
    code[chance.randrange(len(code))] ^= 1 << chance.randrange(8)
    return token[:start] + urllib.parse.quote(base64.b64encode(code), safe="") + token[end:]


def encoded(value):
    return "".join(chr(byte) if chr(byte) in UNRESERVED else f"%{byte:02X}" for byte in value)


def default_token(resource, name, key, expiry):
    """Returns the token of the tool's default encoding, from an independent implementation."""
    resource = resource.split("?")[0].removesuffix("/").encode().lower()  # On bytes, which changes only ASCII letters.
    if b"://" in resource:
        resource = b"https://" + resource.split(b"://", 1)[1]
    field = encoded(resource)
    signature = base64.b64encode(hmac.new(key, f"{field}\n{expiry}".encode(), hashlib.sha256).digest())
    return f"SharedAccessSignature sr={field}&sig={encoded(signature)}&se={expiry}&skn={encoded(name.encode())}"


def run(case, command, resource, *options, given=""):
    words = [TOOL, command, "--resource", resource, "--key-name", case.name, "--key-env", "SAS_TEST_KEY"]
    result = subprocess.run(
        [word.encode() for word in [*words, *options]],
        input=given.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={b"PATH": os.environb.get(b"PATH", b""), b"SAS_TEST_KEY": case.key.encode()},
        timeout=60,
    )
    return result.returncode, result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace")


def expect_signed(case, step, expected, resource, *options):
    status, output, errors = run(case, "sign", resource, "--expires", f"@{case.expiry}", *options)
    if (status, output) != (0, expected + "\n"):
        details = f"  expected  {expected}\n  signed    {output}{errors}"
        raise Fault(f"{step}: status {status}\n  resource  {resource!r}\n{details}".rstrip())


def expect_verdict(case, step, expected, token):
    status, output, errors = run(case, "verify", case.resource, "--now", str(case.expiry - 1), "-", given=token + "\n")
    if status != expected:
        details = f"  token     {token}\n{output}{errors}"
        raise Fault(f"{step}: expected status {expected}, got {status}\n  resource  {case.resource!r}\n{details}".rstrip())


def check(case):
    """Returns a description of the first failure, or None."""
    try:
        expect_signed(case, f"signed as {case.encoding}", case.token, case.resource, "--encoding", case.encoding)
        expect_verdict(case, "the library's token", 0, case.token)
        expect_verdict(case, "a forged token", 1, case.forged)
        expected = default_token(case.with_query, case.name, case.key.encode(), case.expiry)
        expect_signed(case, "signed by default", expected, case.with_query)
    except (Fault, OSError, subprocess.TimeoutExpired) as fault:
        reason = fault if isinstance(fault, Fault) else f"cannot run the tool: {type(fault).__name__}"
        return f"{case.library}, case {case.number}: {reason}\n  key name  {case.name!r}\n  expires   {case.expiry}"


def main():
    todo = [case for library in libraries() for case in cases(library)]
    if len({case.token for case in todo}) != len(libraries()) * CASES:
        sys.exit("duplicate cases")
    with multiprocessing.Pool(os.cpu_count()) as pool:
        for fault in pool.imap(check, todo, chunksize=10):
            if fault:
                pool.terminate()
                sys.exit(fault)
    print(f"azure-python: {len(todo)} cases passed")


if __name__ == "__main__":
    main()
