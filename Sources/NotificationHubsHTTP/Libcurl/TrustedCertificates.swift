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
/// A file replaces libcurl's default file and directory. Two files are joined in an in-memory file. The alternatives, a
/// directory or libcurl's option for authorities in memory, are slower: libcurl would parse all authorities for each
/// connection. With authorities in memory, it would also compare all bytes to decide whether to reuse a connection.
final class TrustedCertificates: Sendable {
    /// The path of the file; `nil` for libcurl's default.
    let path: String?
    /// The descriptor of the in-memory file, which this object closes.
    private let descriptor: CInt?

    /// Creates the union of an additional file and of the system's authorities or those in the file that `SSL_CERT_FILE` names.
    ///
    /// - Throws: `HubTransportError` if an additional file is given, and one of the two files cannot be found or read or
    ///   contains no certificate. Without an additional file, libcurl reports these errors for each request.
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
        guard let descriptor = Self.inMemoryFile(base + [UInt8(ascii: "\n")] + additional) else {
            throw HubTransportError("cannot create an in-memory file: \(systemText(Int(errno)))", delivery: .notSent)
        }
        (path, self.descriptor) = ("/proc/self/fd/\(descriptor)", descriptor)
    }

    deinit {
        if let descriptor { close(descriptor) }
    }

    /// Creates an in-memory file with `memfd_create`, which Swift's Glibc module does not export; `nil` on failure.
    private static func inMemoryFile(_ bytes: [UInt8]) -> CInt? {
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

    /// Returns the system's file: libcurl's default, or the first common path that exists.
    private static func systemFile(_ curl: Libcurl) throws(HubTransportError) -> String {
        let candidates = [
            curl.defaultCertificateFile, "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
        guard let file = candidates.compactMap({ $0 }).first(where: { FileManager.default.fileExists(atPath: $0) })
        else {
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
    /// The file of certificate authorities that libcurl was built with; `nil` before 7.84, which does not report it.
    fileprivate var defaultCertificateFile: String? {
        guard version >= 0x07_54_00, let handle = unsafe easyInit() else { return nil }
        defer { unsafe easyCleanup(handle) }
        var path: UnsafePointer<CChar>?
        guard unsafe getInfo(handle, Information.caInfo, &path) == 0 else { return nil }
        return unsafe path.map { unsafe String(cString: $0) }
    }
}
#endif
