"""Runs a kernel's function on the processor, and compares it with the specification."""

import ctypes
import mmap
import os

import spec

PAGE = 4096


def load(image):
    """Returns the address at which the image's code and constants are mapped."""
    size = max(start + length for start, _, length in image.sections)
    region = mmap.mmap(-1, size, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    for start, offset, length in image.sections:
        region[start:start + length] = bytes(image.data[offset:offset + length])
    return region, ctypes.addressof(ctypes.c_char.from_buffer(region))


def words(data, order):
    return [spec.Word.from_bytes(data[i:i + 4], order) for i in range(0, len(data), 4)]


def is_correct(image, kernel, runs, source):
    """Calls the function with random states and up to three blocks per message."""
    region, base = load(image)
    memory = mmap.mmap(-1, 3 * PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    states = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    pointers, blocks = states + PAGE // 2, states + PAGE
    outer = states + PAGE // 4
    # movups xmm0, [r8]; movups xmm1, [r8 + 16]; jmp r9: passes the state at `outer` in vector registers.
    memory[2 * PAGE:2 * PAGE + 12] = bytes.fromhex("410f1000 410f104810 41ffe1")
    address = base + image.find(*kernel.symbol)[1]
    passes_outer = "outer" in kernel.arguments
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * 6)(states + 2 * PAGE if passes_outer else address)
    streams = kernel.lanes * kernel.arguments.count("state") or kernel.lanes
    for n in range(streams):
        memory[PAGE // 2 + 8 * n:PAGE // 2 + 8 * n + 8] = (blocks + 192 * n).to_bytes(8, "little")
    for _ in range(runs):
        count = source.randrange(4)
        before, data = source.randbytes(32 * streams), source.randbytes(192 * streams)
        memory[:len(before)], memory[PAGE:PAGE + len(data)] = before, data
        outer_state = memory[PAGE // 4:PAGE // 4 + 32] = source.randbytes(32)
        number, arguments = -1, []
        for argument in [a for a in kernel.arguments if a != "outer"]:
            number += argument == "state"
            arguments.append(
                {"state": states + 32 * number, "blocks": blocks + 192 * number, "states": states, "pointers": pointers}
                .get(argument, count))
        arguments += [0] * (6 - len(arguments))
        if passes_outer:
            arguments[4:] = outer, address
        function(*arguments)
        for n in range(streams):
            hash_ = words(before[32 * n:32 * n + 32], "little")
            for start in range(192 * n, 192 * n + 64 * count, 64):
                hash_ = spec.compress(hash_, words(data[start:start + 64], "big"))
            if passes_outer:
                digest = b"".join(x.to_bytes(4, "big") for x in hash_)
                block = bytes(spec.padded(digest, (8 * (64 + 32)).to_bytes(8, "big")))
                hash_ = spec.compress(words(outer_state, "little"), words(block, "big"))
            if memory[32 * n:32 * n + 32] != b"".join(x.to_bytes(4, "little") for x in hash_):
                return False
    return True


def agrees(image, kernel, runs, source):
    """`is_correct` in another process, because changed code can crash."""
    child = os.fork()
    if child == 0:
        os._exit(0 if is_correct(image, kernel, runs, source) else 1)
    return os.waitpid(child, 0)[1] == 0
