#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A shared library of another project, loaded at run time. It stays loaded.
@safe struct SharedLibrary {
    /// The name of a library that the server can use.
    enum Name: String, CaseIterable {
        case libcrypto, libssl, libnghttp2

        /// The version of the library's interface.
        fileprivate var version: Int { self == .libnghttp2 ? 14 : 3 }
        /// The Homebrew formula that installs the library.
        fileprivate var formula: String { self == .libnghttp2 ? "libnghttp2" : "openssl@3" }
    }

    /// A system, with the processor architecture of the process where libraries depend on it.
    enum System: Hashable {
        case linux, macOSArm64, macOSX86
        /// A system without these libraries, such as iOS.
        case other

        static var current: Self {
            #if os(macOS) && arch(arm64)
            .macOSArm64
            #elseif os(macOS)
            .macOSX86
            #elseif canImport(Darwin)
            .other
            #else
            .linux
            #endif
        }
    }

    private let handle: UnsafeMutableRawPointer

    /// Loads a library.
    init(_ name: Name) throws(LoadError) {
        var reasons: [String] = []
        for candidate in Self.candidates(for: name, on: .current) {
            if let handle = unsafe dlopen(candidate, RTLD_NOW | RTLD_LOCAL) {
                unsafe self.handle = handle
                return
            }
            reasons.append(unsafe dlerror().map { unsafe String(cString: $0) } ?? "\(candidate): unknown reason")
        }
        throw LoadError(name, reasons: reasons, on: .current)
    }

    /// Returns the paths of a library in the order in which to try them.
    ///
    /// macOS has no `libssl` and `libcrypto` for other programs: it ends a process that loads its own, unversioned ones. All paths
    /// for macOS are absolute, because it also searches the working directory for others.
    static func candidates(for name: Name, on system: System) -> [String] {
        let prefixes: [String]
        switch system {
        case .linux: return ["\(name).so.\(name.version)"]
        case .macOSArm64: prefixes = ["/opt/homebrew", "/usr/local"]
        case .macOSX86: prefixes = ["/usr/local", "/opt/homebrew"]
        case .other: prefixes = []
        }
        return prefixes.map { "\($0)/opt/\(name.formula)/lib/\(name).\(name.version).dylib" }
    }

    /// Returns a function of the library as a `@convention(c)` type.
    func function<Function>(_ name: String, as type: Function.Type = Function.self) throws(MissingFunction) -> Function
    {
        guard let address = unsafe dlsym(handle, name) else { throw MissingFunction(name: name) }
        return unsafe unsafeBitCast(address, to: type)
    }

    /// A function that a library lacks.
    struct MissingFunction: Error, CustomStringConvertible {
        let name: String

        var description: String { "missing function: \(name)" }
    }

    /// A failure to load a library.
    struct LoadError: Error, CustomStringConvertible {
        let description: String

        /// - Parameter reasons: The system's error for each candidate.
        init(_ name: Name, reasons: [String], on system: System) {
            let remedy =
                switch system {
                case .linux: name == .libnghttp2 ? "install libnghttp2" : "install OpenSSL 3"
                case .macOSArm64, .macOSX86: "run brew install openssl@3 libnghttp2"
                case .other: "this system does not have it"
                }
            description = "cannot load \(name) (\(remedy))" + reasons.map { ": \($0)" }.joined()
        }
    }
}
