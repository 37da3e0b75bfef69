import Glibc
import HubCrypto

/// A program that runs HubCrypto on secrets under Valgrind, which reports each branch and each address that depends on a
/// secret.
///
/// `HubConstantTime` runs all checks. `HubConstantTime early-exit`, for example, runs a ``PlantedFault`` instead.
@main struct ConstantTimeCheck {
    static func main() {
        guard let memcheck = Memcheck() else { fail("not running under Valgrind on amd64") }
        // Functions without a kernel parameter use the best kernel. Valgrind's CPUID reports neither the SHA extensions nor
        // AVX-512; this fails if a later version does.
        guard SHA256.activeKernel == .portable, SHA256.activeBatchKernel == .portable,
            let portable = try? KernelChoice(forcing: .portable)
        else { fail("expected the portable kernel under Valgrind; got \(SHA256.activeKernel)") }

        let check = ConstantTimeCheck(secrets: Secrets(memcheck: memcheck), portable: portable)
        switch CommandLine.arguments.dropFirst().first {
        case nil:
            check.runAll()
        case let name?:
            guard let fault = PlantedFault(rawValue: name) else { fail("unknown fault: \(name)") }
            unsafe check.secrets.withSecret(ConstantTimeCheck.patternBytes(44)) {
                fault.run(check.secrets, unsafe check.key($0))
            }
            print("\(name): ran")
        }
    }

    let secrets: Secrets
    let portable: KernelChoice

    private func runAll() {
        var checked = 0
        for keyLength in [0, 32, 44, 64, 65, 200] {
            for length in [0, 55, 56, 64, 71, 200] {
                checkCodes(keyLength, length)
                checked += 1
            }
        }
        checkComparisons()
        checkDigests()
        print(
            "\(checked) key and message lengths, comparisons and digests: correct, with the kernel \(SHA256.activeKernel)"
        )
    }

    private func key(_ secret: UnsafeRawBufferPointer) -> HMAC.Key {
        unsafe HMAC.Key(bufferPointer: secret, kernels: portable)
    }
}

extension ConstantTimeCheck {
    /// Checks the codes that each API computes from a secret key and a secret message.
    private func checkCodes(_ keyLength: Int, _ length: Int) {
        let what = "key of \(keyLength) bytes, message of \(length) bytes"
        let expected = HMAC.authenticationCode(for: patternBytes(length), using: patternBytes(keyLength))
        unsafe secrets.withSecret(patternBytes(keyLength)) { secret in
            unsafe secrets.withSecret(patternBytes(length)) { message in
                // Empty inputs contain no secret.
                if unsafe secret.isEmpty && message.isEmpty { return }
                let key = unsafe key(secret)
                var mac = HMAC(key: key)
                unsafe mac.update(bufferPointer: UnsafeRawBufferPointer(rebasing: message.prefix(length / 3)))
                unsafe mac.update(bufferPointer: UnsafeRawBufferPointer(rebasing: message.dropFirst(length / 3)))
                let codes = unsafe [
                    ("prepared", key.authenticationCode(bufferPointer: message)),
                    ("one-shot", HMAC.authenticationCode(bufferPointer: message, using: secret)),
                    ("streamed", mac.finalize()),
                    (
                        "from sequences",
                        HMAC.Key(data: secret.lazy.map(\.self)).authenticationCode(for: message.lazy.map(\.self))
                    ),
                    ("in a batch", key.authenticationCodes(for: [message, message])[1]),
                ]
                for (method, code) in codes {
                    let code = secrets.declassified(code, context: "\(what), \(method)")
                    if code != expected { fail("\(what), \(method): wrong code") }
                }
            }
        }
    }

    /// Checks the comparison of secret and received codes: correct ones, and ones wrong in the first bit, in the last bit
    /// or in a whole byte.
    private func checkComparisons() {
        let message = patternBytes(71)
        let correct = Array(HMAC.authenticationCode(for: message, using: patternBytes(44)))
        unsafe secrets.withSecret(patternBytes(44)) { secret in
            let key = unsafe key(secret)
            for (position, flip) in [(0, 0), (0, 0x80), (31, 1), (15, 0xff)] as [(Int, UInt8)] {
                var received = correct
                received[position] ^= flip
                let short = received.prefix(16)
                let computed = key.authenticationCode(for: message)
                let loaded = unsafe secrets.withSecret(received) { unsafe $0.load(as: HMAC.AuthenticationCode.self) }
                let results = [
                    ("isValid", key.isValidAuthenticationCode(received, authenticating: message), flip == 0),
                    (
                        "isValid, a sequence",
                        key.isValidAuthenticationCode(received.lazy.map(\.self), authenticating: message),
                        flip == 0
                    ),
                    (
                        "isValid, truncated",
                        key.isValidAuthenticationCode(short, authenticating: message, truncatedTo: 16),
                        short == correct.prefix(16)
                    ),
                    ("code == code", computed == loaded, flip == 0),
                ]
                for (method, result, expected) in results {
                    let what = "\(method), \(flip) at byte \(position)"
                    if secrets.declassified(result, context: what) != expected { fail("\(what): wrong result") }
                }
            }
        }
    }

    /// Checks digests of secrets and their comparison.
    private func checkDigests() {
        let expected = SHA256.hash(data: patternBytes(71))
        unsafe secrets.withSecret(patternBytes(71)) { message in
            let digest = unsafe SHA256.hash(bufferPointer: message, kernels: portable)
            let best = unsafe SHA256.hash(bufferPointer: message)
            for result in [digest == best, digest == expected] {
                if !secrets.declassified(result, context: "digest == digest") { fail("digest == digest: wrong result") }
            }
            if secrets.declassified(digest, context: "digest") != expected { fail("wrong digest") }
        }
    }

    private func patternBytes(_ count: Int) -> [UInt8] { Self.patternBytes(count) }

    /// Returns bytes in a pattern whose period is coprime to all block lengths.
    private static func patternBytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }
}

/// Prints a reason and exits with status 1.
func fail(_ reason: String) -> Never {
    print(reason)
    exit(1)
}
