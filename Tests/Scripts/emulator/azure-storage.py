"""Compares this package with azure-storage-blob. Run by azure-storage, with the path of HubStorageCheck. STORAGE is the connection
string of the emulator's storage account.

- For 1000 random requests, both sign the same string.
- The library writes, reads, lists and deletes in the emulator by Shared Key, account SAS, container SAS and blob SAS, with path-style
  and host-style addresses. Wrong keys, and signatures without the permission, are rejected.
- The library reads what BlobPayloadStore writes, and BlobPayloadStore respects what the library changes.
"""

import base64
import datetime
import json
import os
import random
import socket
import subprocess
import sys
import urllib.parse

from azure.core import MatchConditions
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
)
from azure.core.pipeline import PipelineContext, PipelineRequest
from azure.core.rest import HttpRequest
from azure.storage.blob import (
    AccountSasPermissions,
    BlobClient,
    BlobSasPermissions,
    BlobServiceClient,
    ContainerClient,
    ContainerSasPermissions,
    ContentSettings,
    ResourceTypes,
    generate_account_sas,
    generate_blob_sas,
    generate_container_sas,
)
from azure.storage.blob._shared import authentication

CASES = 1000
TOOL = sys.argv[1]
FIELDS = dict(field.split("=", 1) for field in os.environ["STORAGE"].split(";"))
ACCOUNT, KEY = FIELDS["AccountName"], FIELDS["AccountKey"]
PATH_STYLE = FIELDS["BlobEndpoint"]
PORT = urllib.parse.urlsplit(PATH_STYLE).port
HOST_STYLE = f"http://{ACCOUNT}.blob.localhost:{PORT}"
OTHER_KEY = base64.b64encode(b"another key").decode()
SEED = int(os.environ.get("SEED") or random.SystemRandom().getrandbits(32))
checks = 0


class Fault(Exception):
    pass


def expect(condition, text):
    global checks
    if not condition:
        raise Fault(text)
    checks += 1


def expect_error(kind, text, body, code=None):
    try:
        body()
    except kind as error:
        expect(code in (None, error.error_code), f"{text}: expected {code}, got {error.error_code}")
    else:
        raise Fault(f"{text}: expected {kind.__name__}")


def tool(*arguments, url=None):
    environment = dict(os.environ)
    if url:
        environment["CONTAINER_URL"] = url
    result = subprocess.run([TOOL, *arguments], env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        raise Fault(f"HubStorageCheck {arguments[0]}: {result.stderr[-2000:]}")
    return result.stdout.removesuffix("\n")


# The strings to sign.


def random_request(generator):
    def text(alphabet, most, least=0):
        return "".join(generator.choice(alphabet) for _ in range(generator.randint(least, most)))

    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    wide = letters + "-._~ !'()*+,;=:@$&#%?/\\\"<>[]{}|^`éßЖя日本𐐀e\u0301\u212a"
    quote = urllib.parse.quote
    account = text("abcdefghijklmnopqrstuvwxyz0123456789", 24, 3)
    # The library always encodes semicolons.
    path = "".join("/" + quote(text(wide, 12), safe=generator.choice(["", "!$&'()*+,=:@"])) for _ in range(generator.randint(1, 4)))
    if generator.random() < 0.5:
        path = f"/{account}{path}"
    parameters = {}
    for _ in range(generator.randint(0, 5)):
        name = generator.choice(["comp", "restype", "prefix", "marker", "include", "timeout", text(letters.lower(), 8, 1)])
        # The library splits at each "&" and does not decode names.
        parameters[name.lower()] = quote(text(wide, 20), safe=generator.choice(["", "/", "+"]))
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    headers = {}
    for name in [
        "Content-Encoding", "Content-Language", "Content-MD5", "Content-Type", "If-Modified-Since", "If-Match", "If-None-Match",
        "If-Unmodified-Since",
    ]:
        if generator.random() < 0.3:
            headers[name] = text(letters + "-/;=*\", ", 30).strip()
    if generator.random() < 0.7:
        headers["Content-Length"] = str(generator.choice([0, 0, 1, generator.randrange(10**9)]))
    # The documentation requires an empty Date with x-ms-date. The library never sends both.
    headers[generator.choice(["Date", "x-ms-date"])] = "Mon, 23 Nov 2026 23:12:08 GMT"
    for _ in range(generator.randint(0, 8)):
        name = generator.choice([
            "x-ms-version", "x-ms-blob-type", "x-ms-blob-content-type", "x-ms-copy-source", "x-ms-copy-source-authorization",
            "x-ms-meta-" + text("abAB01_-.'!~", 6, 1), "x-ms-" + text(letters + "-", 8, 1),
        ])
        if name.lower() not in (header.lower() for header in headers):
            # The library signs only lower-case prefixes, and does not trim values.
            headers[name] = text(letters + "-/;=*\", ", 30).strip()
    url = f"{generator.choice(['http', 'https'])}://{account}.blob.core.windows.net{path}" + (f"?{query}" if query else "")
    return dict(
        account=account, method=generator.choice(["GET", "HEAD", "PUT", "DELETE"]), url=url, headers=list(headers.items()))


def compare_strings_to_sign():
    generator = random.Random(SEED)
    signed = []
    authentication.sign_string = lambda key, text: signed.append(text) or "signature"
    requests = [random_request(generator) for _ in range(CASES)]
    for request in requests:
        policy = authentication.SharedKeyCredentialPolicy(request["account"], KEY)
        http = HttpRequest(request["method"], request["url"], headers=dict(request["headers"]))
        policy.on_request(PipelineRequest(http, PipelineContext(None)))
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    result = subprocess.run([TOOL, "sign"], input=lines, capture_output=True, text=True, check=True)
    own = [json.loads(line) for line in result.stdout.splitlines()]
    expect(len(own) == CASES, "missing strings to sign")
    for request, theirs, ours in zip(requests, signed, own):
        expect(theirs == ours, f"seed {SEED}: {json.dumps(request)}\nazure-storage-blob signs {theirs!r}\nwe sign            {ours!r}")


# The library with the emulator.


def soon(hours=1):
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)


def use_blobs(container):
    """Writes, reads, lists and deletes blobs with a client that may do all this."""
    for name in ["plain", "a/b c.txt", "é+%?&#", "a/x", "a/y/z"]:
        blob = container.get_blob_client(name)
        content = f"content of {name}".encode()
        blob.upload_blob(content, metadata={"key": "one"}, content_settings=ContentSettings(content_type="text/plain"))
        expect_error(ResourceExistsError, name, lambda: blob.upload_blob(b"other"), "BlobAlreadyExists")
        expect(blob.download_blob().readall() == content, f"{name}: wrong content")
        properties = blob.get_blob_properties()
        expect(properties.size == len(content) and properties.metadata == {"key": "one"}, f"{name}: wrong properties")
        expect(properties.content_settings.content_type == "text/plain", f"{name}: wrong type")
        tag = properties.etag
        blob.upload_blob(b"", overwrite=True, etag=tag, match_condition=MatchConditions.IfNotModified)
        expect(blob.download_blob().readall() == b"", f"{name}: not empty")
        expect_error(
            ResourceModifiedError, name,
            lambda: blob.upload_blob(b"x", overwrite=True, etag=tag, match_condition=MatchConditions.IfNotModified),
            "ConditionNotMet")
        expect_error(
            ResourceModifiedError, name,
            lambda: blob.delete_blob(etag=tag, match_condition=MatchConditions.IfNotModified), "ConditionNotMet")
        blob.set_blob_metadata({"key": "two", "other_key": "3"})
        expect(blob.get_blob_properties().metadata == {"key": "two", "other_key": "3"}, f"{name}: wrong metadata")
        expect(blob.exists(), f"{name} is missing")
    names = [blob.name for blob in container.list_blobs(results_per_page=2)]
    expect(names == sorted(["plain", "a/b c.txt", "é+%?&#", "a/x", "a/y/z"], key=str.encode), f"wrong list: {names}")
    listed = list(container.list_blobs(name_starts_with="a/", include=["metadata"]))
    expect([blob.metadata["key"] for blob in listed] == ["two"] * 3, "wrong metadata in the list")
    for blob in listed:
        # Lists contain entity tags without quotes.
        tag = container.get_blob_client(blob.name).get_blob_properties().etag
        expect(tag == f'"{blob.etag}"', f"wrong ETag: {blob.etag}")
    groups = [item.name for item in container.walk_blobs(delimiter="/")]
    expect(groups == ["a/", "plain", "é+%?&#"], f"wrong groups: {groups}")
    large = random.Random(SEED).randbytes(700_000)
    container.upload_blob("large", large)
    part = container.get_blob_client("large").download_blob(offset=1000, length=5000).readall()
    expect(part == large[1000:6000], "wrong range")
    for blob in container.list_blobs():
        container.delete_blob(blob.name)
        expect_error(ResourceNotFoundError, blob.name, lambda: container.delete_blob(blob.name), "BlobNotFound")
    expect(list(container.list_blobs()) == [], "blobs remain")


def use_emulator(endpoint, style):
    options = dict(retry_total=0)
    service = BlobServiceClient(endpoint, credential=KEY if style == "path" else dict(account_name=ACCOUNT, account_key=KEY), **options)
    name = f"library-{style}"
    container = service.create_container(name, metadata={"purpose": "test"})
    expect_error(ResourceExistsError, name, lambda: service.create_container(name), "ContainerAlreadyExists")
    expect(container.get_container_properties().metadata == {"purpose": "test"}, "wrong container metadata")
    expect(name in [item.name for item in service.list_containers(name_starts_with="library-")], "the container is not listed")
    use_blobs(container)

    all_permissions = "racwdl"
    account = generate_account_sas(
        ACCOUNT, KEY, ResourceTypes(service=True, container=True, object=True), AccountSasPermissions.from_string(all_permissions), soon())
    use_blobs(ContainerClient(endpoint, name, credential=account, **options))
    container_sas = generate_container_sas(
        ACCOUNT, name, KEY, permission=ContainerSasPermissions.from_string(all_permissions), expiry=soon(), start=soon(-1))
    use_blobs(ContainerClient(endpoint, name, credential=container_sas, **options))
    blob_name = "a/é b+c"
    blob_sas = generate_blob_sas(
        ACCOUNT, name, blob_name, account_key=KEY, permission=BlobSasPermissions.from_string("rcwd"), expiry=soon(), content_type="text/html")
    blob = BlobClient(endpoint, name, blob_name, credential=blob_sas, **options)
    blob.upload_blob(b"by blob SAS")
    expect(blob.download_blob().readall() == b"by blob SAS", "wrong content by blob SAS")

    # Rejected: another key, a key of another blob, an expired signature, a missing permission, no credential, a changed signature.
    denied = (ClientAuthenticationError, HttpResponseError)
    for text, client in [
        ("another key", BlobClient(endpoint, name, blob_name, credential=dict(account_name=ACCOUNT, account_key=OTHER_KEY), **options)),
        ("another account", BlobClient(endpoint, name, blob_name, credential=dict(account_name="other", account_key=KEY), **options)),
        ("another blob", BlobClient(endpoint, name, "other", credential=blob_sas, **options)),
        ("no credential", BlobClient(endpoint, name, blob_name, **options)),
        ("a changed permission", BlobClient(endpoint, name, blob_name, credential=blob_sas.replace("sp=rcwd", "sp=racwd"), **options)),
        ("an expired signature", BlobClient(endpoint, name, blob_name, credential=generate_container_sas(
            ACCOUNT, name, KEY, permission="r", expiry=soon(-1)), **options)),
        ("a signature of another key", BlobClient(endpoint, name, blob_name, credential=generate_container_sas(
            ACCOUNT, name, OTHER_KEY, permission="r", expiry=soon()), **options)),
        ("a signature without read", BlobClient(endpoint, name, blob_name, credential=generate_container_sas(
            ACCOUNT, name, KEY, permission="wdl", expiry=soon()), **options)),
        ("a signature for https", BlobClient(endpoint, name, blob_name, credential=generate_container_sas(
            ACCOUNT, name, KEY, permission="r", expiry=soon(), protocol="https"), **options)),
    ]:
        expect_error(denied, text, lambda: client.download_blob().readall())
    reader = ContainerClient(endpoint, name, credential=generate_container_sas(
        ACCOUNT, name, KEY, permission="r", expiry=soon()), **options)
    for text, call in [
        ("write", lambda: reader.upload_blob("new", b"x")), ("delete", lambda: reader.delete_blob(blob_name)),
        ("list", lambda: list(reader.list_blobs())), ("delete the container", reader.delete_container),
    ]:
        expect_error(denied, text, call, "AuthorizationResourceTypeMismatch" if "container" in text else "AuthorizationPermissionMismatch")
    creator = ContainerClient(endpoint, name, credential=generate_container_sas(
        ACCOUNT, name, KEY, permission="c", expiry=soon()), **options)
    creator.upload_blob("created", b"x")
    expect_error(denied, "replace", lambda: creator.upload_blob("created", b"y", overwrite=True), "AuthorizationPermissionMismatch")
    expect(blob.download_blob().readall() == b"by blob SAS", "a rejected request changed the blob")
    service.delete_container(name)
    expect_error(ResourceNotFoundError, name, lambda: list(container.list_blobs()), "ContainerNotFound")


# BlobPayloadStore with the library.


def compare_payload_store():
    service = BlobServiceClient(PATH_STYLE, credential=KEY, retry_total=0)
    container = service.create_container("payloads")
    sas = generate_container_sas(
        ACCOUNT, "payloads", KEY, permission=ContainerSasPermissions.from_string("racwdl"), expiry=soon())
    for url in [None, f"{PATH_STYLE}/payloads?{sas}"]:
        ids = [tool("insert", "payloads", "alice", text, "3600", url=url) for text in ["one", "two é", ""]]
        blobs = list(container.list_blobs(include=["metadata"]))
        expect(len(blobs) == 3 and len({blob.name.split("/")[0] for blob in blobs}) == 1, "wrong blobs")
        expect("alice" not in "".join(blob.name for blob in blobs), "a name contains the user's name")
        name = next(blob.name for blob in blobs if blob.name.endswith("/" + ids[1]))
        content = json.loads(container.download_blob(name).readall())
        expect(content == {"payload": "two é", "devices": {}}, f"wrong content: {content}")
        expiry = int(container.get_blob_client(name).get_blob_properties().metadata["expiry"])
        expect(abs(expiry - soon().timestamp()) < 300, "wrong expiry")
        expect(tool("read", "payloads", "alice", ids[1], url=url) == "two é", "wrong text")
        expect(tool("read", "payloads", "bob", ids[1], url=url) == "", "another user can read a payload")
        expect(tool("claim", "payloads", "alice", ids[1], "phone", url=url) == "true", "the first claim failed")
        expect(tool("claim", "payloads", "alice", ids[1], "phone", url=url) == "false", "a second claim succeeded")
        devices = json.loads(container.download_blob(name).readall())["devices"]
        expect(list(devices) == ["phone"], f"wrong devices: {devices}")
        # The library moves the expiry to the past.
        client = container.get_blob_client(name)
        client.set_blob_metadata(client.get_blob_properties().metadata | {"expiry": "1"})
        expect(tool("read", "payloads", "alice", ids[1], url=url) == "", "an expired payload was returned")
        container.upload_blob("other/blob", b"not a payload", overwrite=True)
        expect(tool("sweep", "payloads", url=url) == "1", "the sweep did not delete the expired payload")
        names = [blob.name for blob in container.list_blobs()]
        expect(len(names) == 3 and "other/blob" in names and name not in names, f"wrong blobs after the sweep: {names}")
        tool("remove", "payloads", "alice", ids[0], url=url)
        container.delete_blob(next(name for name in names if name.endswith("/" + ids[2])))
        container.delete_blob("other/blob")
        expect(tool("read", "payloads", "alice", ids[2], url=url) == "", "a deleted payload was returned")
        expect(list(container.list_blobs()) == [], "blobs remain")


def main():
    original = socket.getaddrinfo
    # Not all systems resolve subdomains of localhost.
    socket.getaddrinfo = lambda host, *rest, **named: original(
        "127.0.0.1" if host and host.endswith(".localhost") else host, *rest, **named)
    sign_string = authentication.sign_string
    try:
        compare_strings_to_sign()
    finally:
        authentication.sign_string = sign_string
    print(f"azure-storage: {CASES} random requests have equal strings to sign (seed {SEED})")
    use_emulator(PATH_STYLE, "path")
    use_emulator(HOST_STYLE, "host")
    compare_payload_store()
    print(f"azure-storage: {checks} checks of azure-storage-blob with the emulator and BlobPayloadStore passed")


try:
    main()
except Fault as fault:
    sys.exit(f"azure-storage: {fault}")
