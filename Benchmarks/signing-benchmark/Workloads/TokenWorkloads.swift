import HubCrypto
import SharedAccessSignature

/// Workloads for tokens: `sas-…`.
enum TokenWorkloads {
    /// Returns a workload that signs tokens with one signer, each expiring a second after the previous one.
    static func sign(_ signer: SASSigner) -> Workload {
        workload("sas-token", lapLength: Inputs.tokenCount, answer: KnownAnswers.tokens) { count in
            total(count) {
                var sum: UInt64 = 0
                for second in 0..<Int64(Inputs.tokenCount) {
                    sum &+= signer.token(expiringAt: Inputs.expiry + second).headerValue.checksum
                }
                return sum
            }
        }
    }

    /// Returns a workload that signs a batch of tokens, one per resource, with one signer.
    static func signBatch() -> Workload {
        let signer = SASBatchSigner(key: key, resources: Inputs.batchedResources)
        return workload("sas-token-batch", lapLength: Inputs.batchCount, answer: KnownAnswers.batchedTokens) { count in
            total(count) {
                let batch = signer.tokens(expiringAt: Inputs.expiry)
                return batch.indices.reduce(0) { sum, index in
                    batch.withHeaderValue(at: index) { unsafe sum &+ $0.withUnsafeBytes { unsafe Checksum.of($0) } }
                }
            }
        }
    }

    /// Returns a workload that verifies parsed tokens.
    static func verify(_ server: Server) throws -> Workload {
        let (verifier, resource) = (server.verifier, server.resource)
        let tokens = try headers().map { try SASToken($0) }
        return verification("sas-verify") {
            tokens.reduce(0) { sum, token in
                sum
                    &+ expiry { () throws in
                        try verifier.verify(token, for: resource, now: Inputs.expiry - 1)
                    }
            }
        }
    }

    /// Returns a workload that parses an Authorization header and verifies the token, as a server does per request.
    static func verifyHeader(_ server: Server) throws -> Workload {
        let (verifier, resource) = (server.verifier, server.resource)
        let headers = headers()
        return verification("sas-verify-header") {
            headers.reduce(0) { sum, header in
                sum
                    &+ expiry {
                        try verifier.verify(SASToken(header), for: resource, now: Inputs.expiry - 1)
                    }
            }
        }
    }

    /// Returns a workload that verifies a batch of tokens.
    static func verifyBatch(_ server: Server) throws -> Workload {
        let (verifier, resource) = (server.verifier, server.resource)
        let tokens = try headers().map { try SASToken($0) }
        return verification("sas-verify-batch") {
            verifier.verify(batch: tokens, for: resource, now: Inputs.expiry - 1).reduce(0) {
                sum, verdict in
                sum &+ expiry { try verdict.get() }
            }
        }
    }

    private static func headers() -> [String] {
        let signer = signer()
        return (0..<Int64(Inputs.batchCount)).map { signer.token(expiringAt: Inputs.expiry + $0).headerValue }
    }

    private static func verification(_ name: String, _ lap: @escaping () -> UInt64) -> Workload {
        workload(name, lapLength: Inputs.batchCount, answer: KnownAnswers.grantedExpiries) { count in
            total(count, lap)
        }
    }

    @inline(__always)
    private static func expiry(_ claims: () throws -> SASClaims) -> UInt64 {
        (try? claims()).map { UInt64($0.expiry) } ?? 0
    }

    /// Returns the signer to measure.
    static func signer() -> SASSigner { SASSigner(key: key, resource: Inputs.resource) }

    /// The policy's key. Its name is on the heap, like a name from a file; a literal has no reference count.
    private static var key: SharedAccessKey {
        SharedAccessKey(name: String(decoding: Array(Inputs.keyName.utf8), as: UTF8.self), secret: Inputs.secret)
    }

    /// A verifier and the requested resource, as in a server.
    struct Server: Sendable {
        let verifier: SASVerifier
        let resource: SASResource
    }

    /// Returns the server to measure, after checking that it rejects a forged signature. A verifier that ignored the signature
    /// would be fast.
    static func server() throws -> Server {
        let verifier = SASVerifier(keys: [key])
        let resource = try SASResource(Inputs.resource)
        let other = SharedAccessKey(name: Inputs.keyName, secret: Inputs.secret + "x")
        let forged = SASSigner(key: other, resource: Inputs.resource).token(expiringAt: Inputs.expiry)
        guard (try? verifier.verify(forged, for: resource, now: Inputs.expiry - 1)) == nil else {
            throw WrongResultError(name: "sas-verify", implementation: "SharedAccessSignature")
        }
        return Server(verifier: verifier, resource: resource)
    }

    private static func workload(
        _ name: String, lapLength: Int, answer: UInt64, run: @escaping (Int) -> UInt64
    ) -> Workload {
        Workload(
            name, implementation: "SharedAccessSignature",
            kernel: (name.hasSuffix("-batch") ? SHA256.activeBatchKernel : SHA256.activeKernel).rawValue,
            byteCount: Inputs.stringToSign().count, lapLength: lapLength, answer: answer, run: run)
    }
}
