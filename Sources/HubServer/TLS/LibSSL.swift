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
        do {
            self = try LibSSL(crypto: SharedLibrary(.libcrypto), ssl: SharedLibrary(.libssl))
        } catch {
            throw LibSSLError("\(error)")
        }
    }

    private init(crypto: SharedLibrary, ssl: SharedLibrary) throws(SharedLibrary.MissingFunction) {
        unsafe evpPKEYCTXNewID = try crypto.function("EVP_PKEY_CTX_new_id")
        unsafe evpPKEYCTXFree = try crypto.function("EVP_PKEY_CTX_free")
        unsafe evpPKEYKeygenInit = try crypto.function("EVP_PKEY_keygen_init")
        unsafe evpPKEYCTXSetECParamgenCurveNID = try crypto.function("EVP_PKEY_CTX_set_ec_paramgen_curve_nid")
        unsafe evpPKEYKeygen = try crypto.function("EVP_PKEY_keygen")
        unsafe evpPKEYFree = try crypto.function("EVP_PKEY_free")
        unsafe evpSHA256 = try crypto.function("EVP_sha256")

        unsafe x509New = try crypto.function("X509_new")
        unsafe x509Free = try crypto.function("X509_free")
        unsafe x509SetVersion = try crypto.function("X509_set_version")
        unsafe x509GetSerialNumber = try crypto.function("X509_get_serialNumber")
        unsafe asn1IntegerSetUInt64 = try crypto.function("ASN1_INTEGER_set_uint64")
        unsafe x509GetmNotBefore = try crypto.function("X509_getm_notBefore")
        unsafe x509GetmNotAfter = try crypto.function("X509_getm_notAfter")
        unsafe x509GmtimeAdj = try crypto.function("X509_gmtime_adj")
        unsafe x509GetSubjectName = try crypto.function("X509_get_subject_name")
        unsafe x509NAMEAddEntryByTxt = try crypto.function("X509_NAME_add_entry_by_txt")
        unsafe x509SetIssuerName = try crypto.function("X509_set_issuer_name")
        unsafe x509SetPubkey = try crypto.function("X509_set_pubkey")
        unsafe x509CheckPrivateKey = try crypto.function("X509_check_private_key")
        unsafe x509Sign = try crypto.function("X509_sign")

        unsafe objTxt2NID = try crypto.function("OBJ_txt2nid")
        unsafe x509V3SetCtx = try crypto.function("X509V3_set_ctx")
        unsafe x509V3EXTConfNID = try crypto.function("X509V3_EXT_conf_nid")
        unsafe x509AddExt = try crypto.function("X509_add_ext")
        unsafe x509EXTENSIONFree = try crypto.function("X509_EXTENSION_free")

        unsafe bioSMem = try crypto.function("BIO_s_mem")
        unsafe bioNew = try crypto.function("BIO_new")
        unsafe bioFree = try crypto.function("BIO_free_all")
        unsafe bioUpRef = try crypto.function("BIO_up_ref")
        unsafe bioRead = try crypto.function("BIO_read")
        unsafe bioWrite = try crypto.function("BIO_write")
        unsafe pemWriteBioX509 = try crypto.function("PEM_write_bio_X509")
        unsafe pemWriteBioPrivateKey = try crypto.function("PEM_write_bio_PrivateKey")
        unsafe pemReadBioX509 = try crypto.function("PEM_read_bio_X509")
        unsafe pemReadBioPrivateKey = try crypto.function("PEM_read_bio_PrivateKey")

        unsafe tlsServerMethod = try ssl.function("TLS_server_method")
        unsafe sslCTXNew = try ssl.function("SSL_CTX_new")
        unsafe sslCTXFree = try ssl.function("SSL_CTX_free")
        unsafe sslCTXCtrl = try ssl.function("SSL_CTX_ctrl")
        unsafe sslCTXSetCipherList = try ssl.function("SSL_CTX_set_cipher_list")
        unsafe sslCTXUseCertificate = try ssl.function("SSL_CTX_use_certificate")
        unsafe sslCTXSetALPNSelectCb = try ssl.function("SSL_CTX_set_alpn_select_cb")
        unsafe sslCTXUsePrivateKey = try ssl.function("SSL_CTX_use_PrivateKey")

        unsafe sslNew = try ssl.function("SSL_new")
        unsafe sslFree = try ssl.function("SSL_free")
        unsafe sslSetBio = try ssl.function("SSL_set_bio")
        unsafe sslSetAcceptState = try ssl.function("SSL_set_accept_state")
        unsafe sslDoHandshake = try ssl.function("SSL_do_handshake")
        unsafe sslRead = try ssl.function("SSL_read")
        unsafe sslWrite = try ssl.function("SSL_write")
        unsafe sslShutdown = try ssl.function("SSL_shutdown")
        unsafe sslGet0ALPNSelected = try ssl.function("SSL_get0_alpn_selected")
        unsafe sslGetError = try ssl.function("SSL_get_error")

        errClearError = try crypto.function("ERR_clear_error")
        errGetError = try crypto.function("ERR_get_error")
        unsafe errErrorStringN = try crypto.function("ERR_error_string_n")
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
