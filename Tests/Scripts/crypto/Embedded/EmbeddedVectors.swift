import HubCrypto

/// Runs the vectors of standard input with HubCrypto on every supported kernel, and prints the active kernel.
@main struct EmbeddedVectors {
    static func main() {
        print("active kernel: ", terminator: "")
        print(SHA256.activeKernel.description)
        var cases: [Case] = []
        var reader = VectorReader()
        while let next = reader.next() { cases.append(next) }
        for kernel in SHA256.Kernel.all {
            guard let kernels = try? KernelChoice(forcing: kernel) else { continue }
            run(cases, on: kernels)
            print(cases.count, terminator: " cases passed on ")
            print(kernel.description)
        }
    }

    private static func run(_ cases: [Case], on kernels: KernelChoice) {
        for example in cases {
            if let message = example.message, let digest = example.digest {
                checkDigests(example.name, message, digest, kernels)
            } else if let seed = example.seed, let digest = example.digest {
                checkMonteCarlo(example.name, seed, digest, kernels)
            } else if let message = example.message, let key = example.key, let code = example.code {
                if example.isValid {
                    checkCodes(example.name, message, key, code, kernels)
                } else {
                    checkInvalidCode(example.name, message, key, code, kernels)
                }
            } else {
                fail("unknown kind of case", example.name)
            }
        }
        checkBatch(cases, kernels)
    }

    /// Checks a digest: in one call, unaligned, with the active kernel, and in two updates.
    private static func checkDigests(
        _ name: [UInt8], _ message: [UInt8], _ expected: [UInt8], _ kernels: KernelChoice
    ) {
        if !digest(message[...], kernels).elementsEqual(expected) { fail("wrong digest", name) }
        if !digest(([0] + message).dropFirst(), kernels).elementsEqual(expected) {
            fail("wrong digest of unaligned message", name)
        }
        if !SHA256.hash(data: message).elementsEqual(expected) { fail("wrong digest with the active kernel", name) }
        var hasher = SHA256(kernels: kernels)
        hasher.update(data: message.prefix(message.count / 3))
        hasher.update(data: message.dropFirst(message.count / 3))
        if !hasher.finalize().elementsEqual(expected) { fail("wrong digest of two updates", name) }
    }

    private static func digest(_ message: ArraySlice<UInt8>, _ kernels: KernelChoice) -> SHA256.Digest {
        unsafe message.withUnsafeBytes { unsafe SHA256.hash(bufferPointer: $0, kernels: kernels) }
    }

    /// Checks a Monte Carlo test: a thousand digests, each of the three preceding ones (SHAVS §6.4).
    private static func checkMonteCarlo(
        _ name: [UInt8], _ seed: [UInt8], _ expected: [UInt8], _ kernels: KernelChoice
    ) {
        var last = seed + seed + seed
        for _ in 0..<1000 { last = last[32...] + Array(digest(last[...], kernels)) }
        if !last[64...].elementsEqual(expected) { fail("wrong last digest", name) }
    }

    /// Checks a code: prepared, streamed, one-shot, in a batch and verified. On WebAssembly, also counts the wipes.
    private static func checkCodes(
        _ name: [UInt8], _ message: [UInt8], _ secret: [UInt8], _ expected: [UInt8], _ kernels: KernelChoice
    ) {
        #if arch(wasm32)
        let countBefore = wipeCount()
        #endif
        do {
            let key = unsafe secret.withUnsafeBytes { unsafe HMAC.Key(bufferPointer: $0, kernels: kernels) }
            var mac = HMAC(key: key)
            for byte in message { mac.update(data: CollectionOfOne(byte)) }
            var codes = key.authenticationCodes(for: [message, message, message])
            codes.append(key.authenticationCode(for: message))
            codes.append(mac.finalize())
            codes.append(HMAC.authenticationCode(for: message, using: secret))
            for code in codes where !code.prefix(expected.count).elementsEqual(expected) {
                fail("wrong code", name)
            }
            var changed = expected
            changed[expected.count - 1] ^= 1
            let count = expected.count
            if !key.isValidAuthenticationCode(expected, authenticating: message, truncatedTo: count) {
                fail("valid code rejected", name)
            }
            if key.isValidAuthenticationCode(changed, authenticating: message, truncatedTo: count) {
                fail("invalid code accepted", name)
            }
        }
        #if arch(wasm32)
        // The prepared key and the one-shot code wipe the key's block and states, and for a secret longer than a block also its last
        // blocks, the block before the digest is written to it, and the digest.
        let count = 2 * (secret.count > SHA256.blockByteCount ? 5 : 2)
        if wipeCount() != countBefore + count { fail("wrong number of wipes", name) }
        #endif
    }

    private static func checkInvalidCode(
        _ name: [UInt8], _ message: [UInt8], _ secret: [UInt8], _ code: [UInt8], _ kernels: KernelChoice
    ) {
        let key = unsafe secret.withUnsafeBytes { unsafe HMAC.Key(bufferPointer: $0, kernels: kernels) }
        if key.isValidAuthenticationCode(code, authenticating: message, truncatedTo: code.count) {
            fail("invalid code accepted", name)
        }
    }

    /// Checks the digests of all messages in a batch.
    private static func checkBatch(_ cases: [Case], _ kernels: KernelChoice) {
        let hashed = cases.filter { $0.message != nil && $0.digest != nil }
        let activeDigests = SHA256.digests(for: hashed.map { $0.message ?? [] })
        let memory = unsafe hashed.map { example in
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: example.message?.count ?? 0, alignment: 1)
            unsafe bytes.copyBytes(from: example.message ?? [])
            return UnsafeRawBufferPointer(bytes)
        }
        let digests = UnsafeMutableBufferPointer<SHA256.Digest>.allocate(capacity: hashed.count)
        unsafe memory.withUnsafeBufferPointer { unsafe SHA256.hash($0, into: digests, kernels: kernels) }
        for (index, example) in hashed.enumerated() {
            let expected = example.digest ?? []
            if unsafe !digests[index].elementsEqual(expected) { fail("wrong digest in a batch", example.name) }
            if !activeDigests[index].elementsEqual(expected) {
                fail("wrong digest in a batch with the active kernel", example.name)
            }
            unsafe memory[index].deallocate()
        }
        unsafe digests.deallocate()
    }
}
