/// A certificate authority for servers on this machine. A client that trusts its certificate trusts its servers.
package struct CertificateAuthority: Sendable {
    private let certificate: Certificate

    /// The names that an authority may certify, as in a `nameConstraints` extension (RFC 5280 §4.2.1.10). A domain includes its
    /// subdomains.
    package enum NameConstraint: Sendable {
        case domain(String)
        /// An address range: an address and a mask, such as `127.0.0.0/255.0.0.0`.
        case addresses(String)

        fileprivate var text: String {
            switch self {
            case .domain(let name): "permitted;DNS:\(name)"
            case .addresses(let range): "permitted;IP:\(range)"
            }
        }
    }

    /// Generates an authority.
    ///
    /// - Parameters:
    ///   - commonName: The subject, by which people recognize the authority.
    ///   - names: The names that the authority may certify; if empty, any name.
    ///   - validity: The validity period of the authority's certificate.
    /// - Throws: ``LibSSLError`` if OpenSSL cannot be loaded; see ``LibSSL/isAvailable``.
    package init(
        commonName: String, permitting names: [NameConstraint] = [], validity: CertificateValidity = .days(1)
    ) throws(LibSSLError) {
        var extensions = [
            ("basicConstraints", "critical,CA:TRUE,pathlen:0"),
            ("keyUsage", "critical,keyCertSign,cRLSign"),
            ("subjectKeyIdentifier", "hash"),
        ]
        if !names.isEmpty {
            extensions.append(("nameConstraints", "critical," + names.map(\.text).joined(separator: ",")))
        }
        certificate = try Certificate(commonName: commonName, extensions: extensions, validity: validity)
    }

    /// Reads an authority from ``privatePEM``.
    ///
    /// - Throws: ``LibSSLError`` if the text does not contain a certificate and its key, or if OpenSSL cannot be loaded.
    package init(privatePEM: [UInt8]) throws(LibSSLError) {
        certificate = try Certificate(privatePEM: privatePEM)
    }

    /// The certificate as PEM text (RFC 7468).
    package var certificatePEM: String { certificate.pem }

    /// The certificate and its private key as PEM text. It is a secret.
    package func privatePEM() throws(LibSSLError) -> String { try certificate.pem + certificate.keyPEM() }

    /// Generates a server certificate.
    ///
    /// - Parameters:
    ///   - names: The server's host names and IP addresses; at least one.
    ///   - validity: The validity period of the certificate.
    ///   - versions: The protocol versions that the server accepts.
    package func identity(
        names: [String] = ServerIdentity.loopbackNames, validity: CertificateValidity = .days(1),
        versions: ClosedRange<TLSVersion> = .tls1_2 ... .tls1_3
    ) throws(LibSSLError) -> ServerIdentity {
        let serverCertificate = try Certificate(
            commonName: "Emulator",
            extensions: [
                ("basicConstraints", "critical,CA:FALSE"),
                ("keyUsage", "critical,digitalSignature"),
                ("extendedKeyUsage", "serverAuth"),
                ("subjectKeyIdentifier", "hash"),
                ("authorityKeyIdentifier", "keyid"),
                ("subjectAltName", Certificate.subjectAlternativeName(names)),
            ], validity: validity, issuer: certificate)
        return try ServerIdentity(serverCertificate, versions: versions)
    }
}
