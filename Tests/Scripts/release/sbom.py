"""Lists the linked components of a release, from the linker's maps, which name each archive member in a tool:

  sbom.py notices MAP                                     Prints the notices of a tool's components, with their licenses.
  sbom.py document VERSION PLATFORM EPOCH SCRATCH OUTPUT  Writes the SPDX 2.3 document, from SCRATCH/TOOL.map.

Archives of the toolchain are Swift's; all other files belong to a package of the system. A file of an unknown component is an error.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import urllib.parse

TOOLS = ["sas", "nhub", "signing-benchmark"]
NAME = "swift-notification-hubs"

SWIFT_LICENSE = "Apache-2.0 WITH Swift-exception"
# The components of the toolchain: a pattern of their libraries, their name and license.
TOOLCHAIN = [
    (r"lib(swiftDispatch|dispatch|BlocksRuntime)\.a", "swift-corelibs-libdispatch", SWIFT_LICENSE),
    (r"lib(FoundationEssentials|_FoundationCShims)\.a", "swift-foundation", SWIFT_LICENSE),
    (r"lib_FoundationCollections\.a", "swift-collections", SWIFT_LICENSE),
    (r"lib_FoundationICU\.a|libFoundationInternationalization\.a", "swift-foundation-icu", f"{SWIFT_LICENSE} AND Unicode-3.0"),
    (r"libswift_(RegexParser|StringProcessing)\.a", "swift-experimental-string-processing", SWIFT_LICENSE),
    (r"libswift\w*\.a|swiftrt\.o", "swift", SWIFT_LICENSE),
]
# The source packages of Debian and Ubuntu whose parts can be linked, with the licenses of the linked parts.
SYSTEM = [(r"glibc", "LGPL-2.1-or-later"), (r"gcc-\d+", "GPL-3.0-or-later WITH GCC-exception-3.1")]


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


SWIFT = re.search(r"swift-(\S+)-RELEASE", run("swift", "--version"))[1]
# Empty if the toolchain is in /usr, as in its container images.
TOOLCHAIN_ROOT = os.path.realpath(run("which", "swift").strip()).rsplit("/usr/bin/", 1)[0]


def digests(path):
    with open(path, "rb") as file:
        data = file.read()
    names = [("SHA1", hashlib.sha1), ("SHA256", hashlib.sha256)]
    return [{"algorithm": name, "checksumValue": function(data).hexdigest()} for name, function in names]


def linked_files(map):
    """Returns the archives and object files of which a tool contains bytes, from the linker's map."""
    files = set()
    with open(map) as lines:
        for line in lines:
            # Columns: address, load address, size, alignment, and the input section as FILE:(SECTION).
            if match := re.match(r"\s*[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+\s+(/.+?)(?:\([^/()]*\))?:\(.*\)$", line):
                if int(match[1], 16) > 0 and ".build/" not in match[2]:
                    files.add(os.path.realpath(match[2]))
    if not files:
        sys.exit(f"release: no linked file in {map}")
    return sorted(files)


def element(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", text)


def package(name, version, license, comment=None, **members):
    return {
        "SPDXID": element(name), "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": license, "licenseDeclared": license, "copyrightText": "NOASSERTION",
        **({"comment": comment} if comment else {}), **members,
    }  # fmt: skip


def component(file):
    """Returns the package of a linked file."""
    if file.startswith(f"{TOOLCHAIN_ROOT}/usr/lib/swift"):
        for pattern, name, license in TOOLCHAIN:
            if re.fullmatch(pattern, os.path.basename(file)):
                return package(
                    name, f"swift-{SWIFT}-RELEASE", license, f"The version in the toolchain Swift {SWIFT}",
                    supplier="Organization: Swift.org")  # fmt: skip
        sys.exit(f"release: unknown library of the toolchain: {file}")
    try:
        owner = run("dpkg", "-S", file).split(": ")[0].split(",")[0]
    except subprocess.CalledProcessError:
        sys.exit(f"release: unknown package of {file}")
    source, number, architecture, source_version = run(
        "dpkg-query", "-W", "-f", "${source:Package} ${Version} ${Architecture} ${source:Version}", owner).split()  # fmt: skip
    license = next((license for pattern, license in SYSTEM if re.fullmatch(pattern, source)), None)
    if not license:
        sys.exit(f"release: unknown license of {file} in the system's package {source}")
    name = owner.split(":")[0]
    with open("/etc/os-release") as lines:
        system = dict(re.findall(r'^(\w+)="?(.*?)"?$', lines.read(), re.M))
    identity = urllib.parse.quote(f"{name}@{number}", safe="@")
    locator = f"pkg:deb/{system['ID']}/{identity}?arch={architecture}&distro={system['VERSION_CODENAME']}"
    return package(
        name, number, license, f"From the source package {source} {source_version}", supplier=f"Organization: {system['NAME']}",
        externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}])  # fmt: skip


def notices(map):
    """Prints the components of a tool, and the texts of their licenses in the toolchain and the system's packages."""
    components = {found["name"]: found for found in [component(file) for file in linked_files(map)]}
    names = {}
    for name, found in components.items():
        paths = [f"/usr/share/doc/{name}/copyright"]
        if found["supplier"] == "Organization: Swift.org":
            paths = [f"{TOOLCHAIN_ROOT}/usr/share/swift/LICENSE.txt"]
        if "LGPL-2.1" in found["licenseConcluded"]:
            paths.append("/usr/share/common-licenses/LGPL-2.1")
        for path in paths:
            with open(path, encoding="utf-8") as file:
                names.setdefault(file.read().rstrip(), []).append(name)
    print("This program contains the following components. Their source code is at https://github.com/swiftlang, and in the source")
    print("packages of the named system. Tests/Scripts/release/archives in the program's repository links the program with other versions of them.\n")
    for found in components.values():
        print(f"- {found['name']} {found['versionInfo']} ({found['supplier'].partition(': ')[2]}): {found['licenseConcluded']}. {found['comment']}.")
    for text, owners in names.items():
        print(f"\n{'=' * 80}\n{', '.join(owners)}\n{'=' * 80}\n\n{text}")


def document(version, platform, epoch, scratch, output):
    """Writes the SPDX document of a release."""
    main = package(NAME, version, "Apache-2.0", primaryPackagePurpose="APPLICATION")
    packages, files = {NAME: main}, []
    relationships = [("SPDXRef-DOCUMENT", "DESCRIBES", main["SPDXID"])]
    for tool in TOOLS:
        files.append({
            "SPDXID": element(f"File-{tool}"), "fileName": f"./{tool}", "fileTypes": ["BINARY"], "checksums": digests(f"{scratch}/{tool}"),
            "licenseConcluded": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION",
        })  # fmt: skip
        relationships.append((files[-1]["SPDXID"], "GENERATED_FROM", main["SPDXID"]))
        for linked in linked_files(f"{scratch}/{tool}.map"):
            found = component(linked)
            packages[found["name"]] = found
            relationships.append((files[-1]["SPDXID"], "STATIC_LINK", found["SPDXID"]))
    for archive in sorted(os.listdir(output)):
        tool = archive.rsplit(f"-{version}-", 1)[0]
        if tool not in TOOLS:
            continue
        files.append({
            "SPDXID": element(f"File-{archive}"), "fileName": f"./{archive}", "fileTypes": ["ARCHIVE"],
            "checksums": digests(f"{output}/{archive}"),
            "licenseConcluded": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION",
        })  # fmt: skip
        relationships.append((files[-1]["SPDXID"], "CONTAINS", element(f"File-{tool}")))

    content = hashlib.sha256(json.dumps([packages, files], sort_keys=True).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{NAME}-{version}-{platform}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{NAME}-{version}-{platform}-{content[:32]}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: Tests/Scripts/release/archives"],
        },
        "packages": list(packages.values()), "files": files,
        "relationships": [
            {"spdxElementId": source, "relationshipType": kind, "relatedSpdxElement": target}
            for source, kind, target in dict.fromkeys(relationships)
        ],
    }  # fmt: skip
    path = f"{output}/{NAME}-{version}-{platform}.spdx.json"
    with open(path, "w") as file:
        json.dump(document, file, indent=2)
        file.write("\n")


if sys.argv[1] == "notices":
    notices(*sys.argv[2:])
else:
    document(*sys.argv[2:])
