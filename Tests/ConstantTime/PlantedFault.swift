import Glibc
import HubCrypto

/// Code that leaks secrets in ways that the check must detect.
///
/// Each fault is a separate function, so that memcheck's report identifies it by name.
enum PlantedFault: String, CaseIterable {
    /// A comparison that stops at the first difference.
    case earlyExit = "early-exit"
    /// A load from an address that depends on a secret.
    case indexedLoad = "indexed-load"
    /// A branch on the validity of a code before it is declassified.
    case branch

    func run(_ secrets: Secrets, _ key: HMAC.Key) {
        let message = Array("message".utf8)
        let code = key.authenticationCode(for: message)
        switch self {
        case .earlyExit:
            let forged = [UInt8](repeating: 0, count: SHA256.byteCount)
            _ = unsafe code.withUnsafeBytes { code in
                unsafe forged.withUnsafeBytes { unsafe secrets.declassified(Self.plantedEarlyExit(code, $0)) }
            }
        case .indexedLoad:
            let table = (0...255).map { _ in UInt8.random(in: .min ... .max) }
            _ = unsafe code.withUnsafeBytes { code in
                unsafe table.withUnsafeBytes { unsafe secrets.declassified(Self.plantedIndexedLoad($0, code)) }
            }
        case .branch:
            Self.plantedBranch(key, Array(secrets.declassified(code)), message)
        }
    }

    @inline(never)
    private static func plantedEarlyExit(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        for index in left.indices where unsafe left[index] != right[index] { return false }
        return true
    }

    @inline(never)
    private static func plantedIndexedLoad(_ table: UnsafeRawBufferPointer, _ secret: UnsafeRawBufferPointer) -> UInt8 {
        unsafe table.load(fromByteOffset: Int(secret[0]), as: UInt8.self)
    }

    /// The compiler can neither remove the call nor make it on both paths, so the branch remains.
    @inline(never)
    private static func plantedBranch(_ key: HMAC.Key, _ code: [UInt8], _ message: [UInt8]) {
        if key.isValidAuthenticationCode(code, authenticating: message) { sched_yield() }
    }
}
