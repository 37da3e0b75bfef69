/// A version of the TLS protocol.
package enum TLSVersion: CLong, Comparable, Sendable {
    case tls1_0 = 0x301
    case tls1_1 = 0x302
    case tls1_2 = 0x303
    case tls1_3 = 0x304

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A server's certificate and key, with the accepted versions of TLS and HTTP.
package struct ServerIdentity: Sendable {
    /// The names and addresses of a server on this machine.
    package static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

    /// The certificate as PEM text (RFC 7468).
    package let certificatePEM: String

    /// The `SSL_CTX`, which holds references to the certificate and the key.
    let context: LibSSLObject

    init(_ certificate: Certificate, versions: ClosedRange<TLSVersion>) throws(LibSSLError) {
        let library = try LibSSL.loaded()
        certificatePEM = certificate.pem
        context = unsafe try LibSSLObject(
            "SSL_CTX_new", library.sslCTXNew(library.tlsServerMethod()), free: library.sslCTXFree, library)
        if versions.lowerBound < .tls1_2 {
            // The default security level does not allow these versions.
            try library.check(
                "SSL_CTX_set_cipher_list",
                unsafe library.sslCTXSetCipherList(context.pointer, "DEFAULT:@SECLEVEL=0"))
        }
        let (setMinimumVersion, setMaximumVersion): (CInt, CInt) = (123, 124)
        for (command, version) in [
            (setMinimumVersion, versions.lowerBound), (setMaximumVersion, versions.upperBound),
        ] {
            try library.check(
                "SSL_CTX_ctrl", CInt(unsafe library.sslCTXCtrl(context.pointer, command, version.rawValue, nil)))
        }
        try library.check(
            "SSL_CTX_use_certificate",
            unsafe library.sslCTXUseCertificate(context.pointer, certificate.certificate.pointer))
        try library.check(
            "SSL_CTX_use_PrivateKey", unsafe library.sslCTXUsePrivateKey(context.pointer, certificate.key.pointer))
        unsafe library.sslCTXSetALPNSelectCb(context.pointer, ApplicationProtocol.select, nil)
    }

    /// Generates a self-signed certificate for a server on this machine.
    ///
    /// A client that trusts it as an authority trusts the server.
    ///
    /// - Throws: ``LibSSLError`` if OpenSSL cannot be loaded; see ``LibSSL/isAvailable``.
    package static func selfSigned() throws(LibSSLError) -> ServerIdentity {
        let certificate = try Certificate(
            commonName: "Emulator",
            extensions: [
                ("basicConstraints", "critical,CA:TRUE"),
                ("subjectKeyIdentifier", "hash"),
                ("subjectAltName", Certificate.subjectAlternativeName(loopbackNames)),
            ], validity: .days(1))
        return try ServerIdentity(certificate, versions: .tls1_2 ... .tls1_3)
    }
}

/// An application protocol that a TLS handshake can select (RFC 7301).
enum ApplicationProtocol: String, CaseIterable, Sendable {
    case http2 = "h2"
    case http11 = "http/1.1"

    /// The protocols that the server supports, the preferred one first.
    private static let supported = allCases.filter { $0 != .http2 || LibNGHTTP2.isAvailable }

    /// Selects the first supported protocol that the client offers. Without a common protocol, the connection uses HTTP/1.1.
    static let select: LibSSL.SelectProtocol = { _, output, outputCount, input, inputCount, _ in
        let (isSelected, isNotSelected): (CInt, CInt) = (0, 3)
        let offered = unsafe UnsafeBufferPointer(start: input, count: Int(inputCount))
        for candidate in supported {
            var start = 0
            while start < offered.count {
                let name = unsafe offered[(start + 1)...].prefix(Int(offered[start]))
                if unsafe name.elementsEqual(candidate.rawValue.utf8) {
                    unsafe output?.pointee = input.map { unsafe $0 + name.startIndex }
                    unsafe outputCount?.pointee = UInt8(name.count)
                    return isSelected
                }
                start = unsafe name.endIndex
            }
        }
        return isNotSelected
    }
}
