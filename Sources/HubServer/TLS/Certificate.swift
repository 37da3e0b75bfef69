/// The validity period of a certificate.
package enum CertificateValidity: Sendable {
    /// From an hour ago, so that a client's clock may be slow.
    case days(Int)
    /// Until yesterday.
    case expired
    /// From tomorrow.
    case notYetValid

    /// The start and the end, in seconds from now.
    fileprivate var range: ClosedRange<CLong> {
        let day = 86_400
        return switch self {
        case .days(let count): -3_600...(count * day)
        case .expired: -2 * day ... -day
        case .notYetValid: day...2 * day
        }
    }
}

/// A certificate with its private key (ECDSA, P-256), generated at run time.
struct Certificate: Sendable {
    /// The `X509`.
    let certificate: LibSSLObject
    /// The `EVP_PKEY`.
    let key: LibSSLObject
    /// The certificate as PEM text (RFC 7468).
    let pem: String

    /// Generates a key and its certificate.
    ///
    /// - Parameters:
    ///   - commonName: The subject.
    ///   - extensions: Names and values as in OpenSSL's x509v3_config(5).
    ///   - issuer: The signer of the certificate; `nil` for a self-signed certificate.
    init(
        commonName: String, extensions: [(name: String, value: String)], validity: CertificateValidity,
        issuer: Certificate? = nil
    ) throws(LibSSLError) {
        let library = try LibSSL.loaded()
        key = try Self.newKey(library)
        certificate = unsafe try LibSSLObject("X509_new", library.x509New(), free: library.x509Free, library)
        let x509 = unsafe certificate.pointer
        let issuingCertificate = unsafe issuer?.certificate.pointer ?? x509
        let issuingKey = unsafe issuer?.key.pointer ?? key.pointer

        // The value 2 means X.509 version 3.
        try library.check("X509_set_version", unsafe library.x509SetVersion(x509, 2))
        try library.check(
            "ASN1_INTEGER_set_uint64",
            unsafe library.asn1IntegerSetUInt64(library.x509GetSerialNumber(x509), .random(in: 1 ... .max)))
        let range = validity.range
        _ = unsafe library.x509GmtimeAdj(library.x509GetmNotBefore(x509), range.lowerBound)
        _ = unsafe library.x509GmtimeAdj(library.x509GetmNotAfter(x509), range.upperBound)
        let (utf8Type, atEnd): (CInt, CInt) = (0x1000, -1)
        try library.check(
            "X509_NAME_add_entry_by_txt",
            unsafe library.x509NAMEAddEntryByTxt(
                library.x509GetSubjectName(x509), "CN", utf8Type, Array(commonName.utf8),
                CInt(commonName.utf8.count), atEnd, 0))
        try library.check(
            "X509_set_issuer_name",
            unsafe library.x509SetIssuerName(x509, library.x509GetSubjectName(issuingCertificate)))
        try library.check("X509_set_pubkey", unsafe library.x509SetPubkey(x509, key.pointer))
        for (name, value) in extensions {
            try Self.addExtension(name, value, to: certificate, issuer: issuer?.certificate ?? certificate, library)
        }
        try library.check("X509_sign", unsafe library.x509Sign(x509, issuingKey, library.evpSHA256()))
        pem = try Self.pem(of: certificate, library)
    }

    private static func newKey(_ library: LibSSL) throws(LibSSLError) -> LibSSLObject {
        let algorithm = unsafe library.objTxt2NID("id-ecPublicKey")
        let generator = unsafe try LibSSLObject(
            "EVP_PKEY_CTX_new_id", library.evpPKEYCTXNewID(algorithm, nil), free: library.evpPKEYCTXFree,
            library)
        defer { withExtendedLifetime(generator) {} }
        try library.check("EVP_PKEY_keygen_init", unsafe library.evpPKEYKeygenInit(generator.pointer))
        try library.check(
            "EVP_PKEY_CTX_set_ec_paramgen_curve_nid",
            unsafe library.evpPKEYCTXSetECParamgenCurveNID(generator.pointer, library.objTxt2NID("prime256v1")))
        var key: OpaquePointer?
        try library.check("EVP_PKEY_keygen", unsafe library.evpPKEYKeygen(generator.pointer, &key))
        return unsafe try LibSSLObject("EVP_PKEY_keygen", key, free: library.evpPKEYFree, library)
    }

    private static func addExtension(
        _ name: String, _ value: String, to certificate: LibSSLObject, issuer: LibSSLObject, _ library: LibSSL
    ) throws(LibSSLError) {
        // Storage for an X509V3_CTX, which has 64 bytes in OpenSSL 3; this is 128 bytes.
        var context = SIMD16<UInt64>.zero
        let created = unsafe withUnsafeMutableBytes(of: &context) { context in
            unsafe library.x509V3SetCtx(context.baseAddress, issuer.pointer, certificate.pointer, nil, nil, 0)
            return unsafe library.x509V3EXTConfNID(nil, context.baseAddress, library.objTxt2NID(name), value)
        }
        let addition = unsafe try LibSSLObject(
            "cannot make the extension \(name)=\(value)", created, free: library.x509EXTENSIONFree, library)
        defer { withExtendedLifetime(addition) {} }
        try library.check("X509_add_ext", unsafe library.x509AddExt(certificate.pointer, addition.pointer, -1))
    }

    /// Reads a certificate and its key from PEM text.
    init(privatePEM: [UInt8]) throws(LibSSLError) {
        let library = try LibSSL.loaded()
        func read(_ operation: String, _ read: LibSSL.ReadPEM, free: LibSSL.Free) throws(LibSSLError) -> LibSSLObject {
            let input = unsafe try LibSSLObject(
                "BIO_new", library.bioNew(library.bioSMem()), free: library.bioFree, library)
            defer { withExtendedLifetime(input) {} }
            try library.check("BIO_write", unsafe library.bioWrite(input.pointer, privatePEM, CInt(privatePEM.count)))
            return unsafe try LibSSLObject(operation, read(input.pointer, nil, nil, nil), free: free, library)
        }
        certificate = unsafe try read("PEM_read_bio_X509", library.pemReadBioX509, free: library.x509Free)
        key = unsafe try read("PEM_read_bio_PrivateKey", library.pemReadBioPrivateKey, free: library.evpPKEYFree)
        try library.check(
            "X509_check_private_key", unsafe library.x509CheckPrivateKey(certificate.pointer, key.pointer))
        pem = try Self.pem(of: certificate, library)
    }

    /// Returns the private key as PEM text.
    func keyPEM() throws(LibSSLError) -> String {
        let library = try LibSSL.loaded()
        return unsafe try Self.text(library) { output throws(LibSSLError) in
            try library.check(
                "PEM_write_bio_PrivateKey",
                unsafe library.pemWriteBioPrivateKey(output, key.pointer, nil, nil, 0, nil, nil))
        }
    }

    private static func pem(of certificate: LibSSLObject, _ library: LibSSL) throws(LibSSLError) -> String {
        unsafe try text(library) { output throws(LibSSLError) in
            try library.check("PEM_write_bio_X509", unsafe library.pemWriteBioX509(output, certificate.pointer))
        }
    }

    /// Returns the text that a closure writes to a `BIO`.
    private static func text(
        _ library: LibSSL, _ write: (OpaquePointer) throws(LibSSLError) -> Void
    ) throws(LibSSLError) -> String {
        let output = unsafe try LibSSLObject(
            "BIO_new", library.bioNew(library.bioSMem()), free: library.bioFree, library)
        defer { withExtendedLifetime(output) {} }
        unsafe try write(output.pointer)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            count = Int(max(0, unsafe library.bioRead(output.pointer, buffer.baseAddress, CInt(buffer.count))))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Certificate {
    /// Returns the value of a certificate's `subjectAltName`.
    ///
    /// - Parameter names: Host names, IPv4 addresses and IPv6 addresses.
    static func subjectAlternativeName(_ names: [String]) -> String {
        names.map { name in
            let isAddress = name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." }
            return "\(isAddress ? "IP" : "DNS"):\(name)"
        }.joined(separator: ",")
    }
}
