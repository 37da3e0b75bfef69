import NotificationHubsEmulatorServer
import HubServer
import HubCommandLine
import HubText

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The user's certificate authority for emulators, which stays the same between runs.
///
/// Name constraints bound the damage if its key leaks: clients accept its certificates only for names of this machine, for
/// names that are reserved for tests and private networks, and for Service Bus namespaces.
struct LocalAuthority {
    let authority: CertificateAuthority
    /// The path of the certificate, which clients must trust.
    let certificatePath: String

    /// Reads the authority from the user's data directory, or generates it at first use.
    ///
    /// - Throws: ``FileError`` if a file cannot be read or written; ``UsageError`` if OpenSSL cannot be loaded.
    init() throws {
        try self.init(directory: Self.directory())
    }

    /// The path of the current user's certificate; `nil` if the authority has not been generated.
    static var existingCertificatePath: String? {
        guard let path = try? directory() + "/ca.pem", FileManager.default.fileExists(atPath: path) else { return nil }
        return path
    }

    init(directory: String) throws {
        let privatePath = directory + "/ca-key.pem"
        certificatePath = directory + "/ca.pem"
        if let problem = LibSSL.problem { throw UsageError("--tls: \(problem)") }
        do {
            if !FileManager.default.fileExists(atPath: privatePath) { try Self.generate(privatePath, in: directory) }
            guard let bytes = FileManager.default.contents(atPath: privatePath) else {
                throw FileError("cannot read \(privatePath)")
            }
            do {
                authority = try CertificateAuthority(privatePEM: Array(bytes))
            } catch {
                throw FileError(
                    "invalid certificate authority in \(privatePath): remove the file to generate a new one")
            }
            let certificate = Array(authority.certificatePEM.utf8)
            if FileManager.default.contents(atPath: certificatePath).map(Array.init) != certificate {
                try AtomicFile.write(certificate, to: certificatePath)
                // Clients of other users may read it.
                try? FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: certificatePath)
            }
        } catch let error as AppendedFile.WriteError {
            throw FileError("cannot write the certificate authority to \(directory): \(error)")
        } catch let error as LibSSLError {
            throw FileError("cannot generate a certificate authority: \(error)")
        }
    }

    /// Generates an authority, unless another process does at the same time.
    private static func generate(_ path: String, in directory: String) throws {
        let constraints =
            HostName.certifiableDomains.map { CertificateAuthority.NameConstraint.domain($0) } + [
                .addresses("127.0.0.0/255.0.0.0"), .addresses("::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ]
        let authority = try CertificateAuthority(
            commonName: "nhub emulator", permitting: constraints, validity: .days(3650))
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        } catch {
            throw FileError("cannot create \(directory)")
        }
        // Other processes see either no file or the complete one.
        let temporaryPath = "\(path).\(UInt64.random(in: .min ... .max))"
        defer { AppendedFile.remove(temporaryPath) }
        try AtomicFile.write(Array(authority.privatePEM().utf8), to: temporaryPath)
        do {
            try FileManager.default.linkItem(atPath: temporaryPath, toPath: path)
        } catch {
            // Another process has generated the file, or the file system has no hard links.
            if FileManager.default.fileExists(atPath: path) { return }
            do { try FileManager.default.moveItem(atPath: temporaryPath, toPath: path) } catch {
                throw FileError("cannot write \(path)")
            }
        }
    }

    /// The directory for data of the current user (XDG Base Directory Specification).
    private static func directory() throws(UsageError) -> String {
        if let data = Environment.bytes(of: "XDG_DATA_HOME"), data.first == UInt8(ascii: "/") {
            return String(decoding: data, as: UTF8.self) + "/nhub"
        }
        let home = try Environment.value(of: "HOME")
        #if canImport(Darwin)
        return home + "/Library/Application Support/nhub"
        #else
        return home + "/.local/share/nhub"
        #endif
    }

    /// Returns whether the authority may certify a name.
    static func permits(_ name: String) -> Bool {
        guard name.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "-.:".utf8.contains($0) }) else { return false }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...63).contains($0.utf8.count) }) else { return false }
        return HostName.certifiableDomains.contains { name == $0 || name.hasSuffix("." + $0) && !name.contains(":") }
            || name == "::1" || name.hasPrefix("127.") && name.split(separator: ".").compactMap { UInt8($0) }.count == 4
    }
}
