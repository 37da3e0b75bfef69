"""Changes the toolchain's textual interfaces for Linux x86-64 so that they compile for an Apple platform."""

import re

# Objective-C's pointers to variables, which the interface for Linux omits.
AUTORELEASING_POINTER = """
@unsafe @frozen public struct AutoreleasingUnsafeMutablePointer<Pointee> : @unsafe Swift._Pointer {
  public typealias Pointee = Pointee
  public let _rawValue: Builtin.RawPointer
  @_transparent public init(_ _rawValue: Builtin.RawPointer) { self._rawValue = _rawValue }
  public var pointee: Pointee { get nonmutating set }
}
"""

# Macros of Darwin that the importer leaves out because they name another constant.
MACROS = """
public var CLOCK_MONOTONIC: Darwin.clockid_t { get }
public var CLOCK_PROCESS_CPUTIME_ID: Darwin.clockid_t { get }
public var CLOCK_REALTIME: Darwin.clockid_t { get }
public var CLOCK_THREAD_CPUTIME_ID: Darwin.clockid_t { get }
public var TIOCGWINSZ: Swift.UInt { get }
"""


def adapt(module, text, triple, has_bodies):
    """Returns the interface of a module for a triple. Without bodies, it compiles much faster, and no overflows are found."""
    options = "" if has_bodies else " -experimental-skip-all-function-bodies"
    text = re.sub(r"-target \S+", f"-target {triple}{options}", text, count=1)
    text = text.replace(" -disable-objc-interop", "").replace(" -static ", " ", 1).replace(" -O ", " -Onone ", 1)
    # Back deployment needs bodies, which interfaces omit. The availability of the declaration stays.
    text = re.sub(r"^ *@backDeployed\(before:.*\)\n", "", text, flags=re.MULTILINE)
    if "-xros" in triple:
        text = re.sub(r"@available\((?!.*visionOS)(.*)\biOS ([\d.]+),", vision, text)
    if module == "Swift":
        return swift(text, triple)
    return darwin(text) if module == "Darwin" else text


def vision(match):
    """Adds the version of visionOS that corresponds to that of iOS, which Apple's compiler takes from the SDK."""
    major, _, minor = match[2].partition(".")
    version = "1.0" if int(major) < 18 else f"2.{minor or 0}" if major == "18" else match[2]
    return f"@available({match[1]}iOS {match[2]}, visionOS {version},"


def swift(text, triple):
    if not triple.startswith("x86_64"):
        # These processors have no 80-bit floating point.
        text = re.sub(r"self = _stdlib_(remainderl|squareRootl)\(.*\)", "Builtin.unreachable()", text)
        text = text.replace("CLongDouble = Swift.Float80", "CLongDouble = Swift.Double")
    if triple.startswith("arm64_32"):
        text = narrow(text)
    return text + AUTORELEASING_POINTER


def darwin(text):
    """Changes the interface of Glibc, which comes from the same source as Darwin's."""
    text = re.sub(r"^import Swift(Overlay)?Shims$", "", text, flags=re.MULTILINE)
    text = text.replace("@_exported import SwiftGlibc\n", "@_exported import Darwin\n")
    text = re.sub(r"\b(SwiftGlibc|SwiftOverlayShims|Glibc)\.", "Darwin.", text)
    text = text.replace("Darwin.sighandler_t", "Darwin.sig_t").replace("public typealias sighandler_t = Darwin.__sighandler_t\n", "")
    text = re.sub(r"^public var (environ|SIG_HOLD): [^{]*\{[^}]*\}\n", "", text, flags=re.MULTILINE)
    # Linux has other error codes, and 80-bit floating point.
    unwanted = r"^public enum POSIXErrorCode .*?^\}\n|^extension Darwin\.POSIXErrorCode .*?\{\}\n|^[^\n]*\bfunc [^\n]*Float80.*?^\}\n"
    return re.sub(unwanted, "", text, flags=re.MULTILINE | re.DOTALL) + MACROS


# The declarations that work on the bits of Int and UInt, by their first lines.
WORDS = re.compile(r"(@frozen )?(public struct U?Int :|extension Swift\.U?Int\b)")
# Faster forms of generic functions.
VECTORS = re.compile(r"^extension Swift\.SIMD(\d+|Mask) where \w+ == Swift\.(U?Int|SIMD\d+<Swift\.Int>) \{.*?^\}\n", re.MULTILINE | re.DOTALL)
# Elsewhere, the conversions from and to them.
CONVERSIONS = [
    (r"Builtin\.(sitofp|uitofp)_Int64_(FPIEEE\d+)\((v|extended)\._value\)", r"Builtin.\1_Int32_\2(\3._value)"),
    (r"Builtin\.[sz]extOrBitCast_Int64_Int64\(_value\)", "Builtin.trunc_Int64_Int32(_value)"),
    (r"(Builtin\.[sz]extOrBitCast_Int\d+)_Int64\(_value\)", r"\1_Int32(_value)"),
    (r"Builtin\.truncOrBitCast_Int64_Int64\(bits\._value\)", "Builtin.zext_Int32_Int64(bits._value)"),
    (r"Builtin\.truncOrBitCast_Int64_Int32\(bits\._value\)", "bits._value"),
    (r"Builtin\.truncOrBitCast_Int64_(Int\d+)\(bits\._value\)", r"Builtin.trunc_Int32_\1(bits._value)"),
    (r" Int\(Builtin\.assumeNonNegative_Int64\(", " Int(Builtin.assumeNonNegative_Int32("),
    # A bit of the object pointers in strings.
    (r"return 0x4000_0000_0000_0000\b", "return 2"),
    (r"UInt\(Builtin\.trunc_Int128_Int64\(_value\)\)", "UInt(Builtin.trunc_Int128_Int32(_value))"),
]


def narrow(text):
    """Gives Int and UInt 32 bits, as on a watch."""
    lines, is_word = [], False
    for line in VECTORS.sub("", text).split("\n"):
        if re.match(r"[^\s}]", line) and not line.startswith("@available"):
            is_word = WORDS.match(line) is not None
        if is_word:
            line = re.sub(r"Builtin\.\w+", lambda name: name[0].replace("Int64", "Int32"), line)
            line = line.replace("truncOrBitCast_Int32_Word", "zextOrBitCast_Int32_Word")
            line = re.sub("[sz]extOrBitCast_Word_Int32", "truncOrBitCast_Word_Int32", line)
            line = re.sub(r"\b6[34]\b", lambda bits: str(int(bits[0]) - 32), line)
            line = line.replace("UInt64(_value)", "UInt64(truncatingIfNeeded: self)")
        lines.append(line)
    text = "\n".join(lines)
    for pattern, replacement in CONVERSIONS:
        text = re.sub(pattern, replacement, text)
    return text
