"""Reads the index store of `swift build` with the toolchain's libIndexStore (indexstore.h)."""

import ctypes
import json
import os
import subprocess
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass, field

DEFINITION, REFERENCE, EXTENDED_BY = 1 << 0 | 1 << 1, 1 << 2, 1 << 14
MODULE, PARAMETER, RECORD = 1, 25, 2


@dataclass
class Use:
    """A reference to a symbol in a file."""

    line: int
    column: int  # in UTF-8 bytes
    usr: str
    name: str
    is_extended: bool  # "T" in "extension T"


@dataclass
class Unit:
    """The index data of a source file in a module."""

    module: str
    path: str
    modified: float
    defined: set = field(default_factory=set)
    uses: list = field(default_factory=list)
    imports: dict = field(default_factory=dict)  # {line: module} of compiled imports


class Text(Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


class Library:
    """The required functions of libIndexStore."""

    callback = CFUNCTYPE(c_bool, c_void_p, c_void_p)
    text_callback = CFUNCTYPE(c_bool, c_void_p, Text)
    declarations = {
        "store_create": (c_void_p, c_char_p, POINTER(c_void_p)),
        "store_units_apply_f": (c_bool, c_void_p, c_uint, c_void_p, text_callback),
        "unit_reader_create": (c_void_p, c_void_p, c_char_p, POINTER(c_void_p)),
        "unit_reader_dispose": (None, c_void_p),
        "unit_reader_get_main_file": (Text, c_void_p),
        "unit_reader_get_module_name": (Text, c_void_p),
        "unit_reader_dependencies_apply_f": (c_bool, c_void_p, c_void_p, callback),
        "unit_dependency_get_kind": (c_int, c_void_p),
        "unit_dependency_get_name": (Text, c_void_p),
        "unit_dependency_get_filepath": (Text, c_void_p),
        "record_reader_create": (c_void_p, c_void_p, c_char_p, POINTER(c_void_p)),
        "record_reader_dispose": (None, c_void_p),
        "record_reader_occurrences_apply_f": (c_bool, c_void_p, c_void_p, callback),
        "occurrence_get_symbol": (c_void_p, c_void_p),
        "occurrence_get_roles": (c_uint64, c_void_p),
        "occurrence_get_line_col": (None, c_void_p, POINTER(c_uint), POINTER(c_uint)),
        "symbol_get_kind": (c_int, c_void_p),
        "symbol_get_usr": (Text, c_void_p),
        "symbol_get_name": (Text, c_void_p),
    }

    def __init__(self, path):
        library = ctypes.CDLL(path)
        for name, (result, *arguments) in self.declarations.items():
            function = getattr(library, "indexstore_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)


def library_path():
    information = subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True).stdout
    folder = os.path.dirname(json.loads(information)["paths"]["runtimeResourcePath"])
    suffix = "dylib" if os.uname().sysname == "Darwin" else "so"
    return os.path.join(folder, "libIndexStore." + suffix)


def read(store_path, accepts):
    """Returns the newest unit of each (module, path) that `accepts` accepts, or an empty list if the store cannot be opened."""
    library = Library(library_path())
    store = library.store_create(store_path.encode(), None)
    if not store:
        return []
    names = []
    library.store_units_apply_f(store, 0, None, Library.text_callback(lambda _, name: names.append(str(name)) or True))
    newest = {}
    for name in names:
        reader = library.unit_reader_create(store, name.encode(), None)
        if not reader:
            continue
        path, module = str(library.unit_reader_get_main_file(reader)), str(library.unit_reader_get_module_name(reader))
        if path and accepts(module, path):
            modified = os.stat(os.path.join(store_path, "v5", "units", name)).st_mtime
            if (module, path) not in newest or newest[module, path][0].modified < modified:
                newest[module, path] = Unit(module, path, modified), record_of(library, reader, path)
        library.unit_reader_dispose(reader)
    for unit, record in newest.values():
        if record:
            read_record(library, store, record, unit)
    return [unit for unit, _ in newest.values()]


def record_of(library, reader, path):
    found = []

    def visit(_, dependency):
        if (
            library.unit_dependency_get_kind(dependency) == RECORD
            and str(library.unit_dependency_get_filepath(dependency)) == path
        ):
            found.append(str(library.unit_dependency_get_name(dependency)))
        return True

    library.unit_reader_dependencies_apply_f(reader, None, Library.callback(visit))
    return found[0] if found else None


def read_record(library, store, record, unit):
    reader = library.record_reader_create(store, record.encode(), None)
    if not reader:
        return
    line, column, symbols = c_uint(), c_uint(), {}

    def visit(_, occurrence):
        pointer = library.occurrence_get_symbol(occurrence)
        if pointer not in symbols:
            symbols[pointer] = (
                library.symbol_get_kind(pointer),
                str(library.symbol_get_usr(pointer)),
                str(library.symbol_get_name(pointer)),
            )
        kind, usr, name = symbols[pointer]
        if kind == PARAMETER:
            return True
        roles = library.occurrence_get_roles(occurrence)
        if roles & DEFINITION:
            unit.defined.add(usr)
        if roles & REFERENCE:
            library.occurrence_get_line_col(occurrence, byref(line), byref(column))
            if kind == MODULE:
                unit.imports[line.value] = name
            else:
                unit.uses.append(Use(line.value, column.value, usr, name, bool(roles & EXTENDED_BY)))
        return True

    library.record_reader_occurrences_apply_f(reader, None, Library.callback(visit))
    library.record_reader_dispose(reader)
