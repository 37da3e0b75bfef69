#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// OpenSSL's libcrypto, loaded when it is asked for: the functions that are measured.
///
/// Safe in the sense of `@safe` because the wrappers see to the sizes of what they hand over.
@safe struct LibCrypto {
    private typealias Code =
        @convention(c) (
            UnsafeRawPointer?, UnsafeRawPointer?, CInt, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?,
            UnsafeMutablePointer<CUnsignedInt>?
        ) -> UnsafeMutableRawPointer?
    private typealias Start = @convention(c) (UnsafeMutableRawPointer?) -> CInt
    private typealias Update = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> CInt
    private typealias Finish = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt

    /// What the library says of itself.
    let version: String

    private let hmac: Code
    private let evpSHA256: UnsafeRawPointer?
    private let sha256Init: Start
    private let sha256Update: Update
    private let sha256Final: Finish

    /// Loads the system's library, or the one at `path`.
    init(path: String? = nil) throws(Missing) {
        #if canImport(Darwin)
        // The system's own may not be loaded: Homebrew's.
        let paths = ["/opt/homebrew/opt/openssl@3/lib/libcrypto.dylib", "/usr/local/opt/openssl@3/lib/libcrypto.dylib"]
        #else
        let paths = ["libcrypto.so.3"]
        #endif
        let names = path.map { [$0] } ?? paths
        guard let library = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw Missing(reason: unsafe dlerror().map { unsafe String(cString: $0) } ?? "")
        }
        func symbol<Function>(_ name: String, as type: Function.Type) throws(Missing) -> Function {
            guard let address = unsafe dlsym(library, name) else { throw Missing(reason: "it has no \(name)") }
            return unsafe unsafeBitCast(address, to: type)
        }
        unsafe hmac = try symbol("HMAC", as: Code.self)
        unsafe evpSHA256 = try symbol("EVP_sha256", as: (@convention(c) () -> UnsafeRawPointer?).self)()
        unsafe sha256Init = try symbol("SHA256_Init", as: Start.self)
        unsafe sha256Update = try symbol("SHA256_Update", as: Update.self)
        unsafe sha256Final = try symbol("SHA256_Final", as: Finish.self)
        typealias Version = @convention(c) (CInt) -> UnsafePointer<CChar>?
        version =
            unsafe try symbol("OpenSSL_version", as: Version.self)(0).map { unsafe String(cString: $0) } ?? "OpenSSL"
    }

    /// There is no libcrypto that would serve.
    struct Missing: Error, CustomStringConvertible {
        let reason: String

        var description: String { "libcrypto cannot be loaded: \(reason)" }
    }

    /// A digest's bytes.
    typealias Digest = SIMD32<UInt8>
    /// As large as `SHA256_CTX`: 112 bytes.
    struct Context {
        private var (first, second, third) = (SIMD64<UInt8>.zero, SIMD32<UInt8>.zero, SIMD16<UInt8>.zero)
    }

    /// `HMAC()`.
    @inline(__always)
    func authenticationCode(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into code: inout Digest
    ) {
        var length: CUnsignedInt = 0
        _ = unsafe hmac(
            evpSHA256, key.baseAddress, CInt(key.count), message.baseAddress, message.count, &code, &length)
    }

    /// `SHA256_Init()`.
    @inline(__always)
    func begin(_ context: inout Context) {
        _ = unsafe sha256Init(&context)
    }

    /// `SHA256_Update()`.
    @inline(__always)
    func update(_ context: inout Context, _ part: UnsafeRawBufferPointer) {
        _ = unsafe sha256Update(&context, part.baseAddress, part.count)
    }

    /// `SHA256_Final()`.
    @inline(__always)
    func finish(_ context: inout Context, into digest: inout Digest) {
        _ = unsafe sha256Final(&digest, &context)
    }
}
