import Glibc
import HubCrypto

/// Runs HubCrypto on secrets under Valgrind, which reports every branch and every address that depends on one.
///
/// `HubConstantTime` runs it all; `HubConstantTime early-exit` and the like run a ``PlantedFault`` instead.
@main struct ConstantTimeCheck {
    static func main() {
        guard let memcheck = Memcheck() else { fail("this does not run under Valgrind, on amd64") }
        // What has no form with a kernel of the caller's choice takes the best one. Valgrind's CPUID knows neither the SHA
        // extensions nor AVX-512; should it learn of them, this says so.
        guard SHA256.activeKernel == .portable, SHA256.activeBatchKernel == .portable,
            let portable = try? KernelChoice(forcing: .portable)
        else { fail("Valgrind offers \(SHA256.activeKernel): the portable kernel is the one to check") }

        let check = ConstantTimeCheck(secrets: Secrets(memcheck: memcheck), portable: portable)
        switch CommandLine.arguments.dropFirst().first {
        case nil:
            check.runAll()
        case let name?:
            guard let fault = PlantedFault(rawValue: name) else { fail("no such fault: \(name)") }
            unsafe check.secrets.withSecret(ConstantTimeCheck.painted(44)) {
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
            "\(checked) lengths of key and message, comparisons and digests: right, on the kernel \(SHA256.activeKernel)"
        )
    }

    private func key(_ secret: UnsafeRawBufferPointer) -> HMAC.Key {
        unsafe HMAC.Key(bufferPointer: secret, kernels: portable)
    }
}

extension ConstantTimeCheck {
    /// A key made from a secret, and codes by every way there is; the message is secret too.
    private func checkCodes(_ keyLength: Int, _ length: Int) {
        let what = "a key of \(keyLength) bytes, a message of \(length)"
        let expected = HMAC.authenticationCode(for: painted(length), using: painted(keyLength))
        unsafe secrets.withSecret(painted(keyLength)) { secret in
            unsafe secrets.withSecret(painted(length)) { message in
                // Both empty: nothing is secret.
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
                for (way, code) in codes {
                    let code = secrets.declassified(code, cameOfSecretsIn: "\(what), \(way)")
                    if code != expected { fail("\(what), \(way): the code is wrong") }
                }
            }
        }
    }

    /// Codes that are right, wrong in the first bit, in the last one, and in all: secret codes and received ones.
    private func checkComparisons() {
        let message = painted(71)
        let right = Array(HMAC.authenticationCode(for: message, using: painted(44)))
        unsafe secrets.withSecret(painted(44)) { secret in
            let key = unsafe key(secret)
            for (position, flip) in [(0, 0), (0, 0x80), (31, 1), (15, 0xff)] as [(Int, UInt8)] {
                var received = right
                received[position] ^= flip
                let short = received.prefix(16)
                let mine = key.authenticationCode(for: message)
                let theirs = unsafe secrets.withSecret(received) { unsafe $0.load(as: HMAC.AuthenticationCode.self) }
                let verdicts = [
                    ("isValid", key.isValidAuthenticationCode(received, authenticating: message), flip == 0),
                    (
                        "isValid, a sequence",
                        key.isValidAuthenticationCode(received.lazy.map(\.self), authenticating: message),
                        flip == 0
                    ),
                    (
                        "isValid, truncated",
                        key.isValidAuthenticationCode(short, authenticating: message, truncatedTo: 16),
                        short == right.prefix(16)
                    ),
                    ("code == code", mine == theirs, flip == 0),
                ]
                for (way, verdict, expected) in verdicts {
                    let what = "\(way), \(flip) at byte \(position)"
                    if secrets.declassified(verdict, cameOfSecretsIn: what) != expected { fail("\(what): wrong") }
                }
            }
        }
    }

    /// Digests of secrets, and their comparison.
    private func checkDigests() {
        let expected = SHA256.hash(data: painted(71))
        unsafe secrets.withSecret(painted(71)) { message in
            let digest = unsafe SHA256.hash(bufferPointer: message, kernels: portable)
            let best = unsafe SHA256.hash(bufferPointer: message)
            for verdict in [digest == best, digest == expected] {
                if !secrets.declassified(verdict, cameOfSecretsIn: "digest == digest") { fail("the digests differ") }
            }
            if secrets.declassified(digest, cameOfSecretsIn: "a digest") != expected { fail("a digest is wrong") }
        }
    }

    private func painted(_ count: Int) -> [UInt8] { Self.painted(count) }

    /// Bytes of a pattern whose period is prime to every block's length.
    private static func painted(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }
}

/// Ends the program in failure.
func fail(_ reason: String) -> Never {
    print(reason)
    exit(1)
}
