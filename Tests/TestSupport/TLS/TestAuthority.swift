import Foundation
package import HubServer

/// A certificate authority with its certificate in a temporary file.
package struct TestAuthority: Sendable {
    private let authority: CertificateAuthority
    /// The file with the certificate.
    package let file: CertificateFile

    /// Generates an authority.
    ///
    /// - Throws: ``LibSSLError`` if OpenSSL cannot be loaded; see ``LibSSL/isAvailable``.
    package init() throws {
        authority = try CertificateAuthority(commonName: "Test Authority")
        file = try CertificateFile(authority.certificatePEM)
    }

    /// Generates a server certificate.
    package func identity(
        names: [String] = ServerIdentity.loopbackNames, validity: CertificateValidity = .days(1),
        versions: ClosedRange<TLSVersion> = .tls1_2 ... .tls1_3
    ) throws -> ServerIdentity {
        try authority.identity(names: names, validity: validity, versions: versions)
    }
}

/// A temporary file that contains a certificate and is removed with the last reference.
package final class CertificateFile: Sendable {
    package let path: String

    package init(_ pem: String) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString).pem")
        try Data(pem.utf8).write(to: url)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
