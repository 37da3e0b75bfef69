"""SHA-256 in the words of FIPS 180-4, and HMAC in those of FIPS 198-1.

The functions accept every type of 32-bit words that has +, &, ^, ~, >> and rotr: `Word` computes with numbers, and
`terms.Term` builds formulas. As a program, checks the functions against the vectors in the given files.
"""

import math
import sys


class Word(int):
    """A 32-bit word (§2.2.2): + is addition modulo 2^32."""

    def __add__(self, other): return Word((int(self) + other) & 0xFFFFFFFF)
    def __and__(self, other): return Word(int(self) & other)
    def __xor__(self, other): return Word(int(self) ^ other)
    def __invert__(self): return Word(int(self) ^ 0xFFFFFFFF)
    def __rshift__(self, n): return Word(int(self) >> n)
    def rotr(self, n): return Word((int(self) >> n | int(self) << 32 - n) & 0xFFFFFFFF)


# MARK: §4.1.2 Functions

def ROTR(n, x): return x.rotr(n)
def SHR(n, x): return x >> n
def Ch(x, y, z): return (x & y) ^ (~x & z)
def Maj(x, y, z): return (x & y) ^ (x & z) ^ (y & z)
def Σ0(x): return ROTR(2, x) ^ ROTR(13, x) ^ ROTR(22, x)
def Σ1(x): return ROTR(6, x) ^ ROTR(11, x) ^ ROTR(25, x)
def σ0(x): return ROTR(7, x) ^ ROTR(18, x) ^ SHR(3, x)
def σ1(x): return ROTR(17, x) ^ ROTR(19, x) ^ SHR(10, x)


# MARK: §4.2.2 Constants, §5.3.3 Initial hash value

def cube_root(n):
    """Returns the largest integer whose cube is at most n."""
    low, high = 0, 1 << n.bit_length() // 3 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= n else (low, middle)
    return low


primes = [n for n in range(2, 312) if all(n % d for d in range(2, n))]

# The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
K = [Word(cube_root(p << 96) & 0xFFFFFFFF) for p in primes]
# The first 32 bits of the fractional parts of the square roots of the first eight primes.
H0 = [Word(math.isqrt(p << 64) & 0xFFFFFFFF) for p in primes[:8]]


# MARK: §6.2.2 SHA-256 hash computation

def compress(H, M, let=lambda name, word: word):
    """Returns the next hash value, given the hash value H and the sixteen words M of a block.

    `let` receives each intermediate value with a name, and returns the word to continue with.
    """
    # Step 1: prepare the message schedule.
    W = []
    for t in range(64):
        if t < 16:
            W.append(let(f"W{t}", M[t]))
        else:
            s1, s0 = let(f"σ1(W{t - 2})", σ1(W[t - 2])), let(f"σ0(W{t - 15})", σ0(W[t - 15]))
            W.append(let(f"W{t}", s1 + W[t - 7] + s0 + W[t - 16]))

    # Step 2: initialize the eight working variables.
    a, b, c, d, e, f, g, h = H

    # Step 3.
    for t in range(64):
        T1 = h + let(f"Σ1,{t}", Σ1(e)) + let(f"Ch,{t}", Ch(e, f, g)) + K[t] + W[t]
        T2 = let(f"Σ0,{t}", Σ0(a)) + let(f"Maj,{t}", Maj(a, b, c))
        h = g
        g = f
        f = e
        e = let(f"e,{t}", d + T1)
        d = c
        c = b
        b = a
        a = let(f"a,{t}", T1 + T2)

    # Step 4: compute the intermediate hash value.
    return [let(f"H{j}'", x + H[j]) for j, x in enumerate((a, b, c, d, e, f, g, h))]


def padded(message, length):
    """Returns the bytes of a message, or of its last block, with the padding (§5.1.1). `length` is the length in bits, in eight bytes."""
    return [*message, 0x80, *[0] * (-(len(message) + 9) % 64), *length]


def blocks(data):
    """Returns the blocks of a padded message (§5.2.1)."""
    return [data[start:start + 64] for start in range(0, len(data), 64)]


def sha256(message):
    """Returns the digest of a message (§6.2)."""
    H = H0
    for block in blocks(bytes(padded(message, (8 * len(message)).to_bytes(8, "big")))):
        H = compress(H, [Word.from_bytes(block[i:i + 4], "big") for i in range(0, 64, 4)])
    return b"".join(x.to_bytes(4, "big") for x in H)


# MARK: FIPS 198-1 §4

def key_block(key, digest=sha256):
    """Returns K₀ (steps 1 to 3)."""
    K0 = list(key) if len(key) <= 64 else list(digest(key))
    return K0 + [0] * (64 - len(K0))


def key_pads(K0):
    """Returns K₀ ⊕ ipad and K₀ ⊕ opad (steps 4 and 7)."""
    return [x ^ 0x36 for x in K0], [x ^ 0x5C for x in K0]


def hmac(key, text):
    """Returns the code of a text (steps 5 to 9)."""
    inner, outer = map(bytes, key_pads(key_block(key)))
    return sha256(outer + sha256(inner + text))


def check(files):
    """Computes each digest and each code of the vector files, for messages up to 64 KiB. Returns their number; all are correct."""
    count = 0
    for file in files:
        with open(file, encoding="utf-8") as lines:
            case = {}
            for line in lines:
                name, _, value = line.strip().partition(":")
                text, _, repetitions = value.strip().partition(" * ")
                if name in ("key", "message"):
                    case[name] = bytes.fromhex(text) * int(repetitions or 1)
                elif name in ("digest", "code") and len(case["message"]) <= 1 << 16:
                    expected = bytes.fromhex(text)
                    actual = hmac(case["key"], case["message"]) if name == "code" else sha256(case["message"])
                    if actual[:len(expected)] != expected:
                        raise SystemExit(f"{file}: the specification computes another {name} than {text}")
                    count += 1
    return count


if __name__ == "__main__":
    print(f"specification: {check(sys.argv[1:])} digests and codes are correct")
