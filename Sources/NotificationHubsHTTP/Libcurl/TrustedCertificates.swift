#if !canImport(Darwin)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NotificationHubs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The certificate authorities to trust: a PEM file, or libcurl's default.
///
/// A file takes the place of libcurl's default file and folder. With a folder, libcurl would parse all authorities for each
/// connection, instead of once. Authorities of two files are joined in a file in memory. libcurl could take them from memory without a file, but would then also
/// parse them for each connection, and compare all of their bytes to find out whether a request can use a connection.
final class TrustedCertificates: Sendable {
    /// The path of the file; `nil` for libcurl's default.
    let path: String?
    /// The file in memory, which is closed with this object.
    private let descriptor: CInt?

    /// The authorities of the system, or of the file that `SSL_CERT_FILE` names, and those of an additional file.
    ///
    /// - Throws: `HubTransportError` if a file cannot be read or has no certificate.
    init(_ curl: Libcurl, additionalFile: String?) throws(HubTransportError) {
        let variable = unsafe getenv("SSL_CERT_FILE").map { unsafe String(cString: $0) }
        let environmentFile = variable == "" ? nil : variable
        guard let additionalFile else {
            (path, descriptor) = (environmentFile ?? (try? Self.systemFile(curl)), nil)
            return
        }
        let additional = try Self.certificates(in: additionalFile)
        let baseFile: String = if let environmentFile { environmentFile } else { try Self.systemFile(curl) }
        let base = try Self.certificates(in: baseFile)
        guard let descriptor = Self.fileInMemory(base + [UInt8(ascii: "\n")] + additional) else {
            throw HubTransportError("cannot create a file in memory: \(systemText(Int(errno)))", delivery: .notSent)
        }
        (path, self.descriptor) = ("/proc/self/fd/\(descriptor)", descriptor)
    }

    deinit {
        if let descriptor { close(descriptor) }
    }

    /// Creates a file by `memfd_create`, which Swift's headers of glibc lack.
    private static func fileInMemory(_ bytes: [UInt8]) -> CInt? {
        typealias Create = @convention(c) (UnsafePointer<CChar>, CUnsignedInt) -> CInt
        guard let symbol = unsafe dlsym(nil, "memfd_create") else { return nil }
        let closesOnExec: CUnsignedInt = 1  // MFD_CLOEXEC
        let descriptor = unsafe unsafeBitCast(symbol, to: Create.self)("certificates", closesOnExec)
        guard descriptor >= 0 else { return nil }
        var writtenCount = 0
        while writtenCount < bytes.count {
            let rest = bytes[writtenCount...]
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                close(descriptor)
                return nil
            }
            writtenCount += count
        }
        return descriptor
    }

    /// The system's file: the one that libcurl was built with, or the first of the usual ones that exists.
    private static func systemFile(_ curl: Libcurl) throws(HubTransportError) -> String {
        let usual = [
            curl.defaultCertificateFile, "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
        guard let file = usual.compactMap({ $0 }).first(where: { FileManager.default.fileExists(atPath: $0) }) else {
            throw HubTransportError(
                "cannot find the system's certificate authorities: install ca-certificates or set SSL_CERT_FILE",
                delivery: .notSent)
        }
        return file
    }

    private static func certificates(in path: String) throws(HubTransportError) -> [UInt8] {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw HubTransportError("cannot read certificate authorities from \(path)", delivery: .notSent)
        }
        guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
            throw HubTransportError("no certificate in \(path): expected a PEM file", delivery: .notSent)
        }
        return Array(bytes)
    }
}

extension Libcurl {
    /// The file of certificate authorities that libcurl was built with; `nil` before 7.84, which does not tell.
    fileprivate var defaultCertificateFile: String? {
        guard version >= 0x07_54_00, let handle = unsafe easyInit() else { return nil }
        defer { unsafe easyCleanup(handle) }
        var path: UnsafePointer<CChar>?
        guard unsafe getInfo(handle, Information.caInfo, &path) == 0 else { return nil }
        return unsafe path.map { unsafe String(cString: $0) }
    }
}
#endif
