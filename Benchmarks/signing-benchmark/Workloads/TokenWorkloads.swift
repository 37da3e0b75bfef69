import HubCrypto
import SharedAccessSignature

/// Tokens: `sas-…`.
enum TokenWorkloads {
    /// Signing by a signer that is kept, each token a second later than the one before.
    static func sign() -> Workload {
        let signer = SASSigner(key: key, resource: Inputs.resource)
        return workload("sas-token", lapLength: Inputs.tokenCount, answer: KnownAnswers.tokens) { count in
            total(count) {
                var sum: UInt64 = 0
                for second in 0..<Int64(Inputs.tokenCount) {
                    sum &+= signer.token(expiringAt: Inputs.expiry + second).headerValue.checksum
                }
                return sum
            }
        }
    }

    /// Verifying tokens that are parsed already.
    static func verify() throws -> Workload {
        let verifier = SASVerifier(keys: [key])
        let signer = SASSigner(key: key, resource: Inputs.resource)
        let resource = try SASResource(Inputs.resource)
        let tokens = try (0..<Int64(Inputs.batchCount)).map {
            try SASToken(signer.token(expiringAt: Inputs.expiry + $0).headerValue)
        }
        try expectRefusal(by: verifier, for: resource)
        return workload("sas-verify", lapLength: tokens.count, answer: KnownAnswers.grantedExpiries) { count in
            total(count) {
                var sum: UInt64 = 0
                for token in tokens {
                    let claims = try? verifier.verify(token, for: resource, now: Inputs.expiry - 1)
                    sum &+= UInt64(claims?.expiry ?? 0)
                }
                return sum
            }
        }
    }

    private static var key: SharedAccessKey { SharedAccessKey(name: Inputs.keyName, secret: Inputs.secret) }

    /// Makes sure that signatures are looked at: an expiry alone would be granted fast.
    private static func expectRefusal(by verifier: SASVerifier, for resource: SASResource) throws {
        let other = SharedAccessKey(name: Inputs.keyName, secret: Inputs.secret + "x")
        let forged = SASSigner(key: other, resource: Inputs.resource).token(expiringAt: Inputs.expiry)
        do {
            try verifier.verify(forged, for: resource, now: Inputs.expiry - 1)
        } catch {
            return
        }
        throw WrongResult(name: "sas-verify", implementation: "SharedAccessSignature")
    }

    private static func workload(
        _ name: String, lapLength: Int, answer: UInt64, run: @escaping (Int) -> UInt64
    ) -> Workload {
        Workload(
            name, implementation: "SharedAccessSignature", kernel: SHA256.kernel.rawValue,
            byteCount: Inputs.stringToSign().count, lapLength: lapLength, answer: answer, run: run)
    }
}
