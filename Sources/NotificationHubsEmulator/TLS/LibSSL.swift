#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The functions of OpenSSL's libssl and libcrypto that a server needs, loaded at run time.
///
/// Each property is the C function of the same name: `x509SetVersion` is `X509_set_version`. None is variadic.
@safe package struct LibSSL: Sendable {
    typealias Free = @convention(c) @Sendable (OpaquePointer?) -> Void
    typealias Perform = @convention(c) @Sendable (OpaquePointer?) -> CInt
    typealias Accessor = @convention(c) @Sendable (OpaquePointer?) -> OpaquePointer?
    typealias Create = @convention(c) @Sendable () -> OpaquePointer?
    typealias Set = @convention(c) @Sendable (OpaquePointer?, OpaquePointer?) -> CInt
    typealias ReadPEM =
        @convention(c) @Sendable (
            OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, UnsafeRawPointer?, UnsafeMutableRawPointer?
        ) -> OpaquePointer?
    typealias SelectProtocol =
        @convention(c) @Sendable (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, CUnsignedInt, UnsafeMutableRawPointer?
        ) -> CInt
    typealias SetNumber = @convention(c) @Sendable (OpaquePointer?, CInt) -> CInt

    // Keys
    let evpPKEYCTXNewID: @convention(c) @Sendable (CInt, OpaquePointer?) -> OpaquePointer?
    let evpPKEYCTXFree: Free
    let evpPKEYKeygenInit: Perform
    let evpPKEYCTXSetECParamgenCurveNID: SetNumber
    let evpPKEYKeygen: @convention(c) @Sendable (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> CInt
    let evpPKEYFree: Free
    let evpSHA256: Create

    // Certificates
    let x509New: Create
    let x509Free: Free
    let x509SetVersion: @convention(c) @Sendable (OpaquePointer?, CLong) -> CInt
    let x509GetSerialNumber: Accessor
    let asn1IntegerSetUInt64: @convention(c) @Sendable (OpaquePointer?, UInt64) -> CInt
    let x509GetmNotBefore: Accessor
    let x509GetmNotAfter: Accessor
    let x509GmtimeAdj: @convention(c) @Sendable (OpaquePointer?, CLong) -> OpaquePointer?
    let x509GetSubjectName: Accessor
    let x509NAMEAddEntryByTxt:
        @convention(c) @Sendable (
            OpaquePointer?, UnsafePointer<CChar>?, CInt, UnsafePointer<UInt8>?, CInt, CInt, CInt
        ) -> CInt
    let x509SetIssuerName: Set
    let x509SetPubkey: Set
    let x509CheckPrivateKey: Set
    let x509Sign: @convention(c) @Sendable (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> CInt

    // Extensions of certificates
    let objTxt2NID: @convention(c) @Sendable (UnsafePointer<CChar>?) -> CInt
    let x509V3SetCtx:
        @convention(c) @Sendable (
            UnsafeMutableRawPointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, CInt
        ) -> Void
    let x509V3EXTConfNID:
        @convention(c) @Sendable (
            OpaquePointer?, UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?
        ) -> OpaquePointer?
    let x509AddExt: @convention(c) @Sendable (OpaquePointer?, OpaquePointer?, CInt) -> CInt
    let x509EXTENSIONFree: Free

    // Memory buffers
    let bioSMem: Create
    let bioNew: Accessor
    let bioFree: Free
    let bioUpRef: Perform
    let bioRead: @convention(c) @Sendable (OpaquePointer?, UnsafeMutableRawPointer?, CInt) -> CInt
    let bioWrite: @convention(c) @Sendable (OpaquePointer?, UnsafeRawPointer?, CInt) -> CInt
    let pemWriteBioX509: Set
    let pemWriteBioPrivateKey:
        @convention(c) @Sendable (
            OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?, CInt, UnsafeRawPointer?,
            UnsafeMutableRawPointer?
        ) -> CInt
    let pemReadBioX509: ReadPEM
    let pemReadBioPrivateKey: ReadPEM

    // Server configurations
    let tlsServerMethod: Create
    let sslCTXNew: Accessor
    let sslCTXFree: Free
    let sslCTXCtrl: @convention(c) @Sendable (OpaquePointer?, CInt, CLong, UnsafeMutableRawPointer?) -> CLong
    let sslCTXSetCipherList: @convention(c) @Sendable (OpaquePointer?, UnsafePointer<CChar>?) -> CInt
    let sslCTXUseCertificate: Set
    let sslCTXUsePrivateKey: Set
    let sslCTXSetALPNSelectCb: @convention(c) @Sendable (OpaquePointer?, SelectProtocol?, UnsafeRawPointer?) -> Void

    // Connections
    let sslNew: Accessor
    let sslFree: Free
    let sslSetBio: @convention(c) @Sendable (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Void
    let sslSetAcceptState: @convention(c) @Sendable (OpaquePointer?) -> Void
    let sslDoHandshake: Perform
    let sslRead: @convention(c) @Sendable (OpaquePointer?, UnsafeMutableRawPointer?, CInt) -> CInt
    let sslWrite: @convention(c) @Sendable (OpaquePointer?, UnsafeRawPointer?, CInt) -> CInt
    let sslShutdown: Perform
    let sslGet0ALPNSelected:
        @convention(c) @Sendable (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<CUnsignedInt>?
        ) -> Void
    let sslGetError: @convention(c) @Sendable (OpaquePointer?, CInt) -> CInt

    // Errors
    private let errClearError: @convention(c) @Sendable () -> Void
    private let errGetError: @convention(c) @Sendable () -> CUnsignedLong
    private let errErrorStringN: @convention(c) @Sendable (CUnsignedLong, UnsafeMutablePointer<CChar>?, Int) -> Void

    /// Whether the libraries can be loaded.
    package static var isAvailable: Bool { problem == nil }

    /// The reason why the libraries cannot be loaded; `nil` if they can.
    package static var problem: LibSSLError? {
        if case .failure(let error) = shared { error } else { nil }
    }

    /// Returns the loaded libraries.
    ///
    /// - Throws: ``LibSSLError`` if they cannot be loaded.
    static func loaded() throws(LibSSLError) -> LibSSL {
        try shared.get()
    }

    private static let shared = Result { () throws(LibSSLError) in try LibSSL() }

    private init() throws(LibSSLError) {
        func load(_ name: String) throws(LibSSLError) -> UnsafeMutableRawPointer {
            guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
                let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "unknown reason"
                throw LibSSLError("cannot load \(name): \(reason)")
            }
            return unsafe library
        }
        let crypto = unsafe try load("libcrypto.so.3")
        let ssl = unsafe try load("libssl.so.3")
        func symbol<Function>(
            _ name: String, in library: UnsafeMutableRawPointer, as type: Function.Type = Function.self
        ) throws(LibSSLError) -> Function {
            guard let address = unsafe dlsym(library, name) else { throw LibSSLError("missing function: \(name)") }
            return unsafe unsafeBitCast(address, to: type)
        }

        unsafe evpPKEYCTXNewID = try symbol("EVP_PKEY_CTX_new_id", in: crypto)
        unsafe evpPKEYCTXFree = try symbol("EVP_PKEY_CTX_free", in: crypto)
        unsafe evpPKEYKeygenInit = try symbol("EVP_PKEY_keygen_init", in: crypto)
        unsafe evpPKEYCTXSetECParamgenCurveNID = try symbol("EVP_PKEY_CTX_set_ec_paramgen_curve_nid", in: crypto)
        unsafe evpPKEYKeygen = try symbol("EVP_PKEY_keygen", in: crypto)
        unsafe evpPKEYFree = try symbol("EVP_PKEY_free", in: crypto)
        unsafe evpSHA256 = try symbol("EVP_sha256", in: crypto)

        unsafe x509New = try symbol("X509_new", in: crypto)
        unsafe x509Free = try symbol("X509_free", in: crypto)
        unsafe x509SetVersion = try symbol("X509_set_version", in: crypto)
        unsafe x509GetSerialNumber = try symbol("X509_get_serialNumber", in: crypto)
        unsafe asn1IntegerSetUInt64 = try symbol("ASN1_INTEGER_set_uint64", in: crypto)
        unsafe x509GetmNotBefore = try symbol("X509_getm_notBefore", in: crypto)
        unsafe x509GetmNotAfter = try symbol("X509_getm_notAfter", in: crypto)
        unsafe x509GmtimeAdj = try symbol("X509_gmtime_adj", in: crypto)
        unsafe x509GetSubjectName = try symbol("X509_get_subject_name", in: crypto)
        unsafe x509NAMEAddEntryByTxt = try symbol("X509_NAME_add_entry_by_txt", in: crypto)
        unsafe x509SetIssuerName = try symbol("X509_set_issuer_name", in: crypto)
        unsafe x509SetPubkey = try symbol("X509_set_pubkey", in: crypto)
        unsafe x509CheckPrivateKey = try symbol("X509_check_private_key", in: crypto)
        unsafe x509Sign = try symbol("X509_sign", in: crypto)

        unsafe objTxt2NID = try symbol("OBJ_txt2nid", in: crypto)
        unsafe x509V3SetCtx = try symbol("X509V3_set_ctx", in: crypto)
        unsafe x509V3EXTConfNID = try symbol("X509V3_EXT_conf_nid", in: crypto)
        unsafe x509AddExt = try symbol("X509_add_ext", in: crypto)
        unsafe x509EXTENSIONFree = try symbol("X509_EXTENSION_free", in: crypto)

        unsafe bioSMem = try symbol("BIO_s_mem", in: crypto)
        unsafe bioNew = try symbol("BIO_new", in: crypto)
        unsafe bioFree = try symbol("BIO_free_all", in: crypto)
        unsafe bioUpRef = try symbol("BIO_up_ref", in: crypto)
        unsafe bioRead = try symbol("BIO_read", in: crypto)
        unsafe bioWrite = try symbol("BIO_write", in: crypto)
        unsafe pemWriteBioX509 = try symbol("PEM_write_bio_X509", in: crypto)
        unsafe pemWriteBioPrivateKey = try symbol("PEM_write_bio_PrivateKey", in: crypto)
        unsafe pemReadBioX509 = try symbol("PEM_read_bio_X509", in: crypto)
        unsafe pemReadBioPrivateKey = try symbol("PEM_read_bio_PrivateKey", in: crypto)

        unsafe tlsServerMethod = try symbol("TLS_server_method", in: ssl)
        unsafe sslCTXNew = try symbol("SSL_CTX_new", in: ssl)
        unsafe sslCTXFree = try symbol("SSL_CTX_free", in: ssl)
        unsafe sslCTXCtrl = try symbol("SSL_CTX_ctrl", in: ssl)
        unsafe sslCTXSetCipherList = try symbol("SSL_CTX_set_cipher_list", in: ssl)
        unsafe sslCTXUseCertificate = try symbol("SSL_CTX_use_certificate", in: ssl)
        unsafe sslCTXSetALPNSelectCb = try symbol("SSL_CTX_set_alpn_select_cb", in: ssl)
        unsafe sslCTXUsePrivateKey = try symbol("SSL_CTX_use_PrivateKey", in: ssl)

        unsafe sslNew = try symbol("SSL_new", in: ssl)
        unsafe sslFree = try symbol("SSL_free", in: ssl)
        unsafe sslSetBio = try symbol("SSL_set_bio", in: ssl)
        unsafe sslSetAcceptState = try symbol("SSL_set_accept_state", in: ssl)
        unsafe sslDoHandshake = try symbol("SSL_do_handshake", in: ssl)
        unsafe sslRead = try symbol("SSL_read", in: ssl)
        unsafe sslWrite = try symbol("SSL_write", in: ssl)
        unsafe sslShutdown = try symbol("SSL_shutdown", in: ssl)
        unsafe sslGet0ALPNSelected = try symbol("SSL_get0_alpn_selected", in: ssl)
        unsafe sslGetError = try symbol("SSL_get_error", in: ssl)

        unsafe errClearError = try symbol("ERR_clear_error", in: crypto)
        unsafe errGetError = try symbol("ERR_get_error", in: crypto)
        unsafe errErrorStringN = try symbol("ERR_error_string_n", in: crypto)
    }

    /// Throws the thread's oldest OpenSSL error unless the status of a call is positive.
    func check(_ operation: String, _ status: CInt) throws(LibSSLError) {
        guard status <= 0 else { return }
        throw LibSSLError("\(operation): \(oldestError())")
    }

    /// Clears the thread's error queue, as `SSL_get_error` requires before each call on a connection.
    func clearErrors() {
        errClearError()
    }

    /// Returns the thread's oldest OpenSSL error and clears the queue.
    func oldestError() -> String {
        var text = [CChar](repeating: 0, count: 256)
        unsafe errErrorStringN(errGetError(), &text, text.count)
        clearErrors()
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A failure to load OpenSSL, or a failed OpenSSL call.
package struct LibSSLError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// An OpenSSL object, freed with the last reference.
///
/// Unchecked `Sendable`: the pointer is constant, and no code modifies the object once another thread can reach it. Only
/// the initializer of ``Certificate`` modifies keys and certificates, and only that of ``ServerIdentity`` modifies an
/// `SSL_CTX`. OpenSSL allows several threads to use an unmodified object: its reference counts are atomic, and its caches
/// have locks (openssl-threads(7)). An `SSL` and its `BIO`s change with each call; ``TLSConnection``, which is not
/// `Sendable`, keeps them private.
///
/// The pointer is valid only while a reference to this object exists.
@safe final class LibSSLObject: @unchecked Sendable {
    let pointer: OpaquePointer
    private let free: LibSSL.Free

    /// Takes ownership of an object.
    ///
    /// - Throws: ``LibSSLError`` if the pointer is null.
    init(_ operation: String, _ pointer: OpaquePointer?, free: LibSSL.Free, _ library: LibSSL) throws(LibSSLError) {
        guard let pointer = unsafe pointer else {
            try library.check(operation, 0)
            throw LibSSLError("\(operation): returned a null pointer")
        }
        unsafe self.pointer = pointer
        unsafe self.free = free
    }

    deinit {
        unsafe free(pointer)
    }
}
