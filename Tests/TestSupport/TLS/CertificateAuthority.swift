/// A certificate authority for tests, made at run time. A client trusts its servers once it is given its certificate.
package struct CertificateAuthority: Sendable {
    private let certificate: Certificate
    private let file: CertificateFile

    /// Makes an authority.
    ///
    /// - Throws: ``LibSSLError``, if OpenSSL cannot be loaded; see ``LibSSL/isAvailable``.
    package init() throws {
        certificate = try Certificate(
            commonName: "Test Authority",
            extensions: [
                "basicConstraints": "critical,CA:TRUE",
                "keyUsage": "critical,keyCertSign,cRLSign",
                "subjectKeyIdentifier": "hash",
            ])
        file = try CertificateFile(certificate.pem)
    }

    /// The certificate's text (RFC 7468).
    package var certificatePEM: String { certificate.pem }

    /// The path of a file with the certificate. It is removed with the last copy of the authority.
    package var certificateFile: String { file.path }

    /// Makes a server's certificate.
    ///
    /// - Parameters:
    ///   - names: the host names and IP addresses of the server; at least one.
    ///   - validity: when the certificate is valid.
    ///   - versions: the protocol versions that the server accepts.
    package func identity(
        names: [String] = ServerIdentity.loopbackNames, validity: CertificateValidity = .current,
        versions: ClosedRange<TLSVersion> = .tls1_2 ... .tls1_3
    ) throws -> ServerIdentity {
        let serverCertificate = try Certificate(
            commonName: "Test Server",
            extensions: [
                "basicConstraints": "critical,CA:FALSE",
                "keyUsage": "critical,digitalSignature",
                "extendedKeyUsage": "serverAuth",
                "subjectKeyIdentifier": "hash",
                "authorityKeyIdentifier": "keyid",
                "subjectAltName": Certificate.subjectAlternativeName(names),
            ], validity: validity, issuer: certificate)
        return try ServerIdentity(serverCertificate, versions: versions)
    }
}
