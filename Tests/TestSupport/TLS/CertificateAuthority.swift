/// A certificate authority for tests, generated at run time. A client that trusts its certificate trusts its servers.
package struct CertificateAuthority: Sendable {
    private let certificate: Certificate
    private let file: CertificateFile

    /// Generates an authority.
    ///
    /// - Throws: ``LibSSLError`` if OpenSSL cannot be loaded; see ``LibSSL/isAvailable``.
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

    /// The certificate as PEM text (RFC 7468).
    package var certificatePEM: String { certificate.pem }

    /// The path of a file with the certificate, which is removed with the last copy of the authority.
    package var certificateFile: String { file.path }

    /// Generates a server certificate.
    ///
    /// - Parameters:
    ///   - names: The server's host names and IP addresses; at least one.
    ///   - validity: The validity period of the certificate.
    ///   - versions: The protocol versions that the server accepts.
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
