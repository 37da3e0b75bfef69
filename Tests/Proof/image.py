"""A linked ELF program: its symbols, its code and its constants."""

import struct


class Image:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = data = file.read()
        if data[:6] != b"\x7fELF\x02\x01":
            raise SystemExit(f"{path}: expected a 64-bit little-endian ELF file")
        self.path = path
        self.machine, = struct.unpack_from("<H", data, 18)
        section_headers, = struct.unpack_from("<Q", data, 40)
        section_size, section_count = struct.unpack_from("<HH", data, 58)

        def name_at(table, name):
            names, = struct.unpack_from("<Q", data, section_headers + table * section_size + 24)
            return data[names + name:data.index(b"\0", names + name)].decode()

        def symbol(table, index):
            entries, = struct.unpack_from("<Q", data, section_headers + table * section_size + 24)
            names, = struct.unpack_from("<I", data, section_headers + table * section_size + 40)
            name, = struct.unpack_from("<I", data, entries + 24 * index)
            return name_at(names, name)

        names, = struct.unpack_from("<H", data, 62)
        # The sections with code and constants: address, offset in the file, size. The linker marks .rodata as writable if an
        # input does; constants are in it all the same.
        self.sections = []
        self.relocated = set()
        self.by_name = {}
        self.symbols = {}
        self.ambiguous = set()  # Names of more than one symbol.
        self.imports = {}  # The names of imported functions, by the address of the pointer to each.
        for i in range(section_count):
            name, kind, flags, address, offset, length, link = struct.unpack_from(
                "<IIQQQQI", data, section_headers + i * section_size)
            if kind == 1:
                self.by_name[name_at(names, name)] = (address, offset, length)
            if kind == 1 and (flags & 3 == 2 or name_at(names, name).startswith(".rodata")):
                self.sections.append((address, offset, length))
            elif kind == 2:
                for at in range(offset, offset + length, 24):
                    name, _, _, _, value, extent = struct.unpack_from("<IBBHQQ", data, at)
                    name = name_at(link, name)
                    if name in self.symbols and self.symbols[name] != (value, extent):
                        self.ambiguous.add(name)
                    self.symbols[name] = (value, extent)
            elif kind == 19:  # SHT_RELR
                raise SystemExit(f"{path}: relative relocations are not supported")
            elif kind == 4:
                for at in range(offset, offset + length, 24):
                    start, info = struct.unpack_from("<QQ", data, at)
                    self.relocated.update(range(start, start + 8))
                    if info & 0xFFFFFFFF == 7:  # R_X86_64_JUMP_SLOT
                        self.imports[start] = symbol(link, info >> 32)

    def section(self, name):
        """Returns the address and the content of a section."""
        address, offset, length = self.by_name[name]
        return address, self.data[offset:offset + length]

    def address(self, name):
        """Returns the address of a symbol."""
        if name not in self.symbols or name in self.ambiguous:
            raise SystemExit(f"{self.path}: expected one symbol {name}")
        return self.symbols[name][0]

    def function(self, address):
        """Returns the address and the size of the function that contains the address, or None."""
        return next((v for v in self.symbols.values() if v[0] <= address < v[0] + v[1]), None)

    def offset(self, address, count):
        """Returns the position in the file of code or constants, or None. The loader changes none of them."""
        for start, offset, size in self.sections:
            is_relocated = not self.relocated.isdisjoint(range(address, address + count))
            if start <= address and address + count <= start + size and not is_relocated:
                return address - start + offset
        return None

    def read(self, address, count):
        offset = self.offset(address, count)
        return None if offset is None else self.data[offset:offset + count]

    def find(self, *parts):
        """Returns the name, address and size of the only function whose name contains the parts."""
        found = [(n, *v) for n, v in self.symbols.items() if v[1] and all(p in n for p in parts)]
        if len(found) != 1 or found[0][0] in self.ambiguous:
            raise SystemExit(f"{self.path}: expected one symbol with {' and '.join(parts)}, found {len(found)}")
        return found[0]
