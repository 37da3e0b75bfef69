#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// OpenSSL's libcrypto, loaded at run time: the functions that are measured.
///
/// `@safe`, because the wrappers pass only buffers of the required sizes.
@safe struct LibCrypto {
    private typealias Code =
        @convention(c) (
            UnsafeRawPointer?, UnsafeRawPointer?, CInt, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?,
            UnsafeMutablePointer<CUnsignedInt>?
        ) -> UnsafeMutableRawPointer?
    private typealias Initialize = @convention(c) (UnsafeMutableRawPointer?) -> CInt
    private typealias Update = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> CInt
    private typealias Finalize = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt

    /// The library's version string.
    let version: String

    private let hmac: Code
    private let evpSHA256: UnsafeRawPointer?
    private let sha256Init: Initialize
    private let sha256Update: Update
    private let sha256Final: Finalize

    /// Loads the system's library or the one at `path`.
    init(path: String? = nil) throws(LoadError) {
        #if canImport(Darwin)
        // macOS forbids loading the system's library; use Homebrew's.
        let paths = ["/opt/homebrew/opt/openssl@3/lib/libcrypto.dylib", "/usr/local/opt/openssl@3/lib/libcrypto.dylib"]
        #else
        let paths = ["libcrypto.so.3"]
        #endif
        let names = path.map { [$0] } ?? paths
        guard let library = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw LoadError(reason: unsafe dlerror().map { unsafe String(cString: $0) } ?? "")
        }
        func symbol<Function>(_ name: String, as type: Function.Type) throws(LoadError) -> Function {
            guard let address = unsafe dlsym(library, name) else {
                throw LoadError(reason: "missing function: \(name)")
            }
            return unsafe unsafeBitCast(address, to: type)
        }
        unsafe hmac = try symbol("HMAC", as: Code.self)
        unsafe evpSHA256 = try symbol("EVP_sha256", as: (@convention(c) () -> UnsafeRawPointer?).self)()
        unsafe sha256Init = try symbol("SHA256_Init", as: Initialize.self)
        unsafe sha256Update = try symbol("SHA256_Update", as: Update.self)
        unsafe sha256Final = try symbol("SHA256_Final", as: Finalize.self)
        typealias Version = @convention(c) (CInt) -> UnsafePointer<CChar>?
        version =
            unsafe try symbol("OpenSSL_version", as: Version.self)(0).map { unsafe String(cString: $0) } ?? "OpenSSL"
    }

    /// A failure to load libcrypto.
    struct LoadError: Error, CustomStringConvertible {
        let reason: String

        var description: String { "cannot load libcrypto: \(reason)" }
    }

    /// The bytes of a digest.
    typealias Digest = SIMD32<UInt8>
    /// Storage of the size of `SHA256_CTX`, 112 bytes.
    struct Context {
        private var (first, second, third) = (SIMD64<UInt8>.zero, SIMD32<UInt8>.zero, SIMD16<UInt8>.zero)
    }

    /// Calls `HMAC()`.
    @inline(__always)
    func authenticationCode(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into code: inout Digest
    ) {
        var length: CUnsignedInt = 0
        _ = unsafe hmac(
            evpSHA256, key.baseAddress, CInt(key.count), message.baseAddress, message.count, &code, &length)
    }

    /// Calls `SHA256_Init()`.
    @inline(__always)
    func begin(_ context: inout Context) {
        _ = unsafe sha256Init(&context)
    }

    /// Calls `SHA256_Update()`.
    @inline(__always)
    func update(_ context: inout Context, _ part: UnsafeRawBufferPointer) {
        _ = unsafe sha256Update(&context, part.baseAddress, part.count)
    }

    /// Calls `SHA256_Final()`.
    @inline(__always)
    func finish(_ context: inout Context, into digest: inout Digest) {
        _ = unsafe sha256Final(&digest, &context)
    }
}
