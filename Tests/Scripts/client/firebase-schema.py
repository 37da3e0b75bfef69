"""Generates bodies of messages for Firebase, with the verdict of a JSON schema, one JSON object a line.

Usage: firebase-schema.py COUNT SEED

The schema follows Google's discovery document, and the JSON form of Protocol Buffers ("ProtoJSON Format"): members in lower camel case or
snake case, null for an absent member, strings for numbers, and names of enumerations in any case.

Each line has `body` and `isValid`; `reason` names a rule that the schema does not have, and that makes a valid body a failure:
reserved names of data, a time to live of more than 28 days, a link without HTTPS, more than 4,096 bytes, and validateOnly.
"""

import json
import os
import random
import re
import sys

import googleapiclient
import jsonschema

DURATION = r"^-?[0-9]+(\.[0-9]{1,9})?s$"
INTEGER = r"^-?(0|[1-9][0-9]*)$"
NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$"
TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[-+][0-9]{2}:[0-9]{2})$"


def document():
    folder = os.path.join(os.path.dirname(googleapiclient.__file__), "discovery_cache", "documents")
    with open(os.path.join(folder, "fcm.v1.json"), encoding="utf-8") as file:
        return json.load(file)["schemas"]


TYPES = document()


def snake_case(name):
    return re.sub("[A-Z]", lambda match: "_" + match.group().lower(), name)


def schema_of(field):
    """Returns the JSON schema of a field of the discovery document."""
    if "$ref" in field:
        return {"$ref": "#/$defs/" + field["$ref"]}
    if "enum" in field:
        names = "|".join(re.escape(name) for name in field["enum"])
        return {"type": "string", "pattern": f"^(?i:{names})$"}
    kind, form = field["type"], field.get("format")
    if kind == "array":
        return {"type": "array", "items": schema_of(field["items"])}
    if kind == "object":
        return {"type": "object", "additionalProperties": schema_of(field["additionalProperties"])}
    if kind == "any":
        return {}
    if kind == "integer":
        return {"anyOf": [{"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}, {"type": "string", "pattern": INTEGER}]}
    if kind == "number":
        return {"anyOf": [{"type": "number"}, {"type": "string", "pattern": NUMBER}]}
    if kind == "boolean":
        return {"type": "boolean"}
    pattern = {"google-duration": DURATION, "google-datetime": TIME}.get(form)
    return {"type": "string", "pattern": pattern} if pattern else {"type": "string"}


def schema():
    """Returns the JSON schema of the body that a hub receives."""
    definitions = {}
    for name, kind in TYPES.items():
        properties = {}
        for field, value in kind.get("properties", {}).items():
            for spelling in {field, snake_case(field)}:
                properties[spelling] = {"anyOf": [{"type": "null"}, schema_of(value)]}
        definitions[name] = {"type": "object", "properties": properties, "additionalProperties": False}
    definitions["SendMessageRequest"]["properties"]["message"] = {"$ref": "#/$defs/Message"}
    definitions["SendMessageRequest"]["required"] = ["message"]
    return {"$ref": "#/$defs/SendMessageRequest", "$defs": definitions}


class Generator:
    """A generator of valid values."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def text(self):
        alphabet = "abcXYZ 019_-./\"\\\u00e9\u4e2d\U0001f600\n"
        return "".join(self.random.choice(alphabet) for _ in range(self.random.randrange(12)))

    def value(self, field, depth=0):
        pick = self.random
        if "$ref" in field:
            return self.object(field["$ref"], depth + 1)
        if "enum" in field:
            name = pick.choice(field["enum"])
            return pick.choice([name, name.lower(), name.capitalize()])
        kind, form = field["type"], field.get("format")
        if kind == "array":
            return [self.value(field["items"], depth) for _ in range(pick.randrange(4))]
        if kind == "object":
            return {"k" + str(index): self.value(field["additionalProperties"], depth) for index in range(pick.randrange(4))}
        if kind == "any":
            return pick.choice([None, True, 7, 1.5, self.text(), [1, "a"], {"a": {"b": None}}])
        if kind == "integer":
            return pick.choice([0, 3, -7, 2**31 - 1, -(2**31), "12", "-1"])
        if kind == "number":
            return pick.choice([0, 1, 0.25, 1e-3, "0.5", "1"])
        if kind == "boolean":
            return pick.choice([True, False])
        if form == "google-duration":
            return pick.choice(["0s", "1s", "3.5s", "0.000000001s", "600s", "2419200s"])
        if form == "google-datetime":
            return pick.choice(["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.5+02:00"])
        return self.text()

    def object(self, name, depth):
        properties = TYPES[name].get("properties", {})
        members = {}
        for field, value in properties.items():
            if self.random.random() < (0.5 if depth < 2 else 0.3):
                spelling = self.random.choice([field, snake_case(field)])
                members[spelling] = None if self.random.random() < 0.03 else self.value(value, depth)
        return members

    def body(self):
        """Returns a valid body that breaks none of the rules that the schema does not have."""
        body = {"message": self.object("Message", 0)}
        if self.random.random() < 0.05:
            body[self.random.choice(["validateOnly", "validate_only"])] = False
        for options in [(body["message"].get("webpush") or {}).get(name) or {} for name in ("fcmOptions", "fcm_options")]:
            if options.get("link") is not None:
                options["link"] = "https://example.com/" + self.text()
        return body


def places(value, path=()):
    """Returns the paths of all values in a body."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] + [place for key, item in items for place in places(item, path + (key,))]


def replace(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replace(value[path[0]], path[1:], new)
    return copy


def at(value, path):
    for key in path:
        value = value[key]
    return value


def with_fault(body, generator):
    """Returns a body with one change that is usually a fault."""
    pick = generator.random
    path = pick.choice(places(body))
    value = at(body, path)
    if isinstance(value, dict) and pick.random() < 0.6:
        name = pick.choice(["channel_id", "priority", "sound", "x", "ttl", "to", "title", "Notification", "notification_count", ""])
        return replace(body, path, {**value, name: pick.choice(["high", 1, {}, "600s"])})
    new = pick.choice([None, True, 7, -1, 1.5, 2**31, "", "max", "5", "600", "1.s", "x", [], {}, [None], {"a": 1}, ["a"], {"a": "b"}])
    return replace(body, path, new)


def with_rule(body, generator):
    """Returns a body that is valid by the schema, and the rule that it breaks."""
    message = dict(body["message"])
    kind = generator.random.choice(["reserved", "ttl", "link", "size", "validateOnly"])
    if kind == "reserved":
        message["data"] = {generator.random.choice(["from", "message_type", "google.a", "gcm.b"]): "x"}
    elif kind == "ttl":
        message["android"] = {"ttl": generator.random.choice(["2419201s", "-1s"])}
    elif kind == "link":
        message["webpush"] = {"fcmOptions": {"link": "http://example.com/"}}
    elif kind == "size":
        message["data"] = {"a": "x" * 4096}
        message.pop("android", None)
    else:
        return {"message": message, "validateOnly": True}, kind
    return {"message": message}, kind


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    validator = jsonschema.Draft202012Validator(schema())
    generator = Generator(seed)
    for index in range(count):
        body, reason = generator.body(), None
        if index % 20 == 19:
            body, reason = with_rule(body, generator)
        elif index % 2 == 1:
            body = with_fault(body, generator)
        print(json.dumps({"body": json.dumps(body), "isValid": validator.is_valid(body), "reason": reason}))


main()
