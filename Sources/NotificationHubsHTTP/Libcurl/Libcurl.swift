#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import HubLock
import NotificationHubs

/// The functions of libcurl, loaded from the system's library at run time.
///
/// **Calling convention.** `curl_easy_setopt`, `curl_easy_getinfo` and `curl_multi_setopt` are variadic in C, but are declared
/// here with fixed arguments. The System V ABI for x86-64 and AAPCS64 on Linux pass a variadic integer or pointer in the same
/// register as a fixed one. On x86-64, `al` also holds the number of vector registers, which only functions with floating-point
/// arguments read. Apple's arm64 ABI passes variadic arguments on the stack, so this file excludes Apple platforms.
/// ``load(path:)`` rejects other architectures.
///
/// Option, info and error numbers are part of libcurl's stable ABI. `@safe` is justified because only the files of this
/// directory pass pointers to these functions, and only on the thread that owns the handle, except for `curl_multi_wakeup`.
@safe struct Libcurl: Sendable {
    /// An easy or a multi handle, or a list of headers.
    typealias Handle = UnsafeMutableRawPointer
    /// `curl_write_callback` and `curl_read_callback`.
    typealias DataCallback = @convention(c) (UnsafeMutablePointer<UInt8>?, Int, Int, Handle?) -> Int
    /// `curl_seek_callback`.
    typealias SeekCallback = @convention(c) (Handle?, Int64, CInt) -> CInt
    /// `curl_prereq_callback`.
    typealias PrerequestCallback =
        @convention(c) (Handle?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, CInt, CInt) -> CInt

    /// `curl_sockopt_callback`.
    typealias SocketCallback = @convention(c) (Handle?, CInt, CInt) -> CInt
    /// `curl_closesocket_callback`.
    typealias CloseCallback = @convention(c) (Handle?, CInt) -> CInt

    let easyInit: @Sendable @convention(c) () -> Handle?
    let easyCleanup: @Sendable @convention(c) (Handle?) -> Void
    let easyStrerror: @Sendable @convention(c) (CInt) -> UnsafePointer<CChar>?
    let setLong: @Sendable @convention(c) (Handle?, CInt, Int) -> CInt
    let setPointer: @Sendable @convention(c) (Handle?, CInt, UnsafeRawPointer?) -> CInt
    let setDataCallback: @Sendable @convention(c) (Handle?, CInt, DataCallback) -> CInt
    let setSeekCallback: @Sendable @convention(c) (Handle?, CInt, SeekCallback) -> CInt
    let setPrerequestCallback: @Sendable @convention(c) (Handle?, CInt, PrerequestCallback) -> CInt
    let setSocketCallback: @Sendable @convention(c) (Handle?, CInt, SocketCallback) -> CInt
    let setCloseCallback: @Sendable @convention(c) (Handle?, CInt, CloseCallback) -> CInt
    let getInfo: @Sendable @convention(c) (Handle?, CInt, Handle?) -> CInt
    var multiInit: @Sendable @convention(c) () -> Handle?
    let multiCleanup: @Sendable @convention(c) (Handle?) -> CInt
    let multiSetLong: @Sendable @convention(c) (Handle?, CInt, Int) -> CInt
    let multiAdd: @Sendable @convention(c) (Handle?, Handle?) -> CInt
    let multiRemove: @Sendable @convention(c) (Handle?, Handle?) -> CInt
    let multiPerform: @Sendable @convention(c) (Handle?, UnsafeMutablePointer<CInt>?) -> CInt
    let multiPoll: @Sendable @convention(c) (Handle?, Handle?, CUnsignedInt, CInt, UnsafeMutablePointer<CInt>?) -> CInt
    var multiWakeup: @Sendable @convention(c) (Handle?) -> CInt
    let multiInfoRead: @Sendable @convention(c) (Handle?, UnsafeMutablePointer<CInt>?) -> UnsafeRawPointer?
    let listAppend: @Sendable @convention(c) (Handle?, UnsafePointer<CChar>?) -> Handle?
    let listFree: @Sendable @convention(c) (Handle?) -> Void

    /// The library's version as `0xMMmmpp`.
    let version: UInt32

    /// The system's libcurl.
    static let system = FirstSuccess { () throws(HubTransportError) in try load(path: "libcurl.so.4") }

    /// Loads and initializes a library.
    ///
    /// - Throws: `HubTransportError` if libcurl is not found at the path or is older than 7.68, or if the architecture is not
    ///   supported.
    static func load(path: String) throws(HubTransportError) -> Libcurl {
        #if arch(x86_64) || arch(arm64)
        try Libcurl(path: path)
        #else
        throw HubTransportError(
            "libcurl is not supported on this architecture (supported: x86-64 and arm64)", delivery: .notSent)
        #endif
    }

    /// Checks that a version, such as `0x074400` for 7.68.0, is supported.
    ///
    /// - Throws: `HubTransportError` for a version before 7.68, which introduced `curl_multi_wakeup`.
    static func check(version: UInt32) throws(HubTransportError) {
        guard version >= 0x07_44_00 else {
            throw unavailable("version \(version >> 16).\(version >> 8 & 0xff).\(version & 0xff) is older than 7.68")
        }
    }

    private static func unavailable(_ reason: String) -> HubTransportError {
        HubTransportError(
            "cannot load libcurl: \(reason); install the package libcurl4 (Debian, Ubuntu) or libcurl (Fedora, Amazon Linux)",
            delivery: .notSent)
    }

    private init(path: String) throws(HubTransportError) {
        guard let library = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw Self.unavailable(unsafe dlerror().map { unsafe String(cString: $0) } ?? path)
        }
        func symbol<Function>(_ name: String, as type: Function.Type = Function.self) throws(HubTransportError)
            -> Function
        {
            guard let address = unsafe dlsym(library, name) else { throw Self.unavailable("\(path) has no \(name)") }
            return unsafe unsafeBitCast(address, to: type)
        }
        // First, so that the error for an old library names its version. CURLVERSION_FIRST is 0; the structure begins with an
        // `int`, a pointer and the version number.
        typealias VersionInfo = @convention(c) (CInt) -> UnsafeRawPointer?
        let information = unsafe try symbol("curl_version_info", as: VersionInfo.self)(0)
        version = unsafe information?.load(fromByteOffset: 16, as: UInt32.self) ?? 0
        try Self.check(version: version)

        unsafe easyInit = try symbol("curl_easy_init")
        unsafe easyCleanup = try symbol("curl_easy_cleanup")
        unsafe easyStrerror = try symbol("curl_easy_strerror")
        unsafe setLong = try symbol("curl_easy_setopt")
        unsafe setPointer = try symbol("curl_easy_setopt")
        unsafe setDataCallback = try symbol("curl_easy_setopt")
        unsafe setSeekCallback = try symbol("curl_easy_setopt")
        unsafe setPrerequestCallback = try symbol("curl_easy_setopt")
        unsafe setSocketCallback = try symbol("curl_easy_setopt")
        unsafe setCloseCallback = try symbol("curl_easy_setopt")
        unsafe getInfo = try symbol("curl_easy_getinfo")
        unsafe multiInit = try symbol("curl_multi_init")
        unsafe multiCleanup = try symbol("curl_multi_cleanup")
        unsafe multiSetLong = try symbol("curl_multi_setopt")
        unsafe multiAdd = try symbol("curl_multi_add_handle")
        unsafe multiRemove = try symbol("curl_multi_remove_handle")
        unsafe multiPerform = try symbol("curl_multi_perform")
        unsafe multiPoll = try symbol("curl_multi_poll")
        unsafe multiWakeup = try symbol("curl_multi_wakeup")
        unsafe multiInfoRead = try symbol("curl_multi_info_read")
        unsafe listAppend = try symbol("curl_slist_append")
        unsafe listFree = try symbol("curl_slist_free_all")

        // By default, OpenSSL frees its memory when the process exits, although the transport's thread may still use it. Other
        // TLS libraries lack the function.
        typealias InitialiseOpenSSL = @convention(c) (UInt64, UnsafeRawPointer?) -> CInt
        if let address = unsafe dlsym(library, "OPENSSL_init_crypto") {
            let noCleanupAtExit: UInt64 = 0x0008_0000  // OPENSSL_INIT_NO_ATEXIT
            _ = unsafe unsafeBitCast(address, to: InitialiseOpenSSL.self)(noCleanupAtExit, nil)
        }

        // Not thread-safe before libcurl 7.84, so `system` calls it under a lock.
        typealias Initialise = @convention(c) (Int) -> CInt
        let allFeatures = 3  // CURL_GLOBAL_ALL
        guard try symbol("curl_global_init", as: Initialise.self)(allFeatures) == 0 else {
            throw Self.unavailable("curl_global_init failed")
        }
    }

    /// Returns libcurl's description of an error code.
    func text(for code: CInt) -> String {
        unsafe easyStrerror(code).map { unsafe String(cString: $0) } ?? "error"
    }
}

extension Libcurl {
    /// Whether ``Option/prerequestFunction`` is supported. libcurl calls it each time it is about to send a request.
    var hasPrerequest: Bool { version >= 0x07_50_00 }
    /// Whether ``Information/connection`` is supported.
    var hasConnectionID: Bool { version >= 0x08_02_00 }

    /// `CURLoption`.
    enum Option {
        static let url: CInt = 10002
        static let proxy: CInt = 10004
        static let errorBuffer: CInt = 10010
        static let customRequest: CInt = 10036
        static let httpGet: CInt = 80
        static let post: CInt = 47
        static let postFieldSizeLarge: CInt = 30120
        static let httpHeader: CInt = 10023
        static let timeoutMilliseconds: CInt = 155

        static let writeData: CInt = 10001
        static let writeFunction: CInt = 20011
        static let headerData: CInt = 10029
        static let headerFunction: CInt = 20079
        static let readData: CInt = 10009
        static let readFunction: CInt = 20012
        static let seekData: CInt = 10168
        static let seekFunction: CInt = 20167
        static let prerequestData: CInt = 10313  // 7.80
        static let prerequestFunction: CInt = 20312  // 7.80

        static let socketData: CInt = 10149
        static let socketFunction: CInt = 20148
        static let closeData: CInt = 10209
        static let closeFunction: CInt = 20208

        static let noSignal: CInt = 99
        static let protocols: CInt = 181
        static let httpVersion: CInt = 84
        static let headerOptions: CInt = 229
        static let pathAsIs: CInt = 234
        static let suppressConnectHeaders: CInt = 265
        static let freshConnect: CInt = 74
        static let forbidReuse: CInt = 75
        static let maximumIdleSeconds: CInt = 288  // MAXAGE_CONN
        static let maximumLifetimeSeconds: CInt = 314  // 7.80
        static let dnsCacheSeconds: CInt = 92
        static let quickExit: CInt = 322  // 7.87
        static let sslVersion: CInt = 32
        static let sslVerifyPeer: CInt = 64
        static let sslVerifyHost: CInt = 81
        static let caInfo: CInt = 10065
        static let caPath: CInt = 10097
    }

    /// `CURLMoption`.
    enum MultiOption {
        static let pipelining: CInt = 3
        static let maximumKeptConnections: CInt = 6  // MAXCONNECTS
    }

    /// `CURLINFO`.
    enum Information {
        static let connectCode: CInt = 0x200016
        static let osErrno: CInt = 0x200019
        static let requestSize: CInt = 0x20000c
        static let caInfo: CInt = 0x10003d  // 7.84
        static let connection: CInt = 0x600040  // 8.2
    }
}
#endif
