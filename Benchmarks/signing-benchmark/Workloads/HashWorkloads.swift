import HubCrypto

/// Workloads for hashing: `sha256/…`, `sha256-portable/…`, `sha256-batch/…`.
enum HashWorkloads {
    /// Returns a workload that hashes a complete message.
    static func oneMessage(byteCount: Int, _ kernels: Kernels) -> Workload {
        let data = Inputs.message(byteCount: byteCount)
        return workload("sha256/\(byteCount)", byteCount, kernels.single) { count in
            switch kernels {
            case .chosen: total(count) { SHA256.hash(data: data).checksum }
            case .forced(_, let choice): hash(data, count, choice)
            }
        }
    }

    /// Returns a workload that hashes a long message with the portable kernel.
    static func portable() throws -> Workload {
        let (data, choice) = (Inputs.message(byteCount: 1_048_576), try KernelChoice(forcing: .portable))
        return workload("sha256-portable/\(data.count)", data.count, SHA256.Kernel.portable.rawValue) { count in
            hash(data, count, choice)
        }
    }

    /// Returns a workload that writes the digests of a batch to a buffer.
    static func batch(_ kernels: Kernels) -> Workload {
        let messages = messages()
        return workload("sha256-batch/1024", 1024, kernels.batch, lapLength: messages.count) { count in
            unsafe withUnsafeTemporaryAllocation(of: SHA256.Digest.self, capacity: messages.count) { digests in
                switch kernels {
                case .chosen:
                    total(count) {
                        unsafe SHA256.digests(for: messages, into: digests)
                        return unsafe Checksum.ofEach(digests)
                    }
                case .forced(_, let choice):
                    unsafe withPinned(messages[...], []) { pinned in
                        total(count) {
                            unsafe SHA256.hash(pinned, into: digests, kernels: choice)
                            return unsafe Checksum.ofEach(digests)
                        }
                    }
                }
            }
        }
    }

    /// Returns a workload that returns the digests of a batch in an array.
    static func batchAsArray() -> Workload {
        let messages = messages()
        let kernel = SHA256.activeBatchKernel.rawValue
        return workload("sha256-batch-array/1024", 1024, kernel, lapLength: messages.count) { count in
            total(count) { Checksum.ofEach(SHA256.digests(for: messages)) }
        }
    }

    private static func workload(
        _ name: String, _ byteCount: Int, _ kernel: String, lapLength: Int = 1, run: @escaping (Int) -> UInt64
    ) -> Workload {
        Workload(
            name, implementation: "HubCrypto", kernel: kernel, byteCount: byteCount, lapLength: lapLength,
            answer: KnownAnswers.digest(byteCount: byteCount) &* UInt64(lapLength), run: run)
    }

    private static func hash(_ data: [UInt8], _ count: Int, _ choice: KernelChoice) -> UInt64 {
        unsafe data.withUnsafeBytes { data in
            total(count) { unsafe SHA256.hash(bufferPointer: data, kernels: choice).checksum }
        }
    }

    /// Returns equal messages, each in its own buffer.
    private static func messages() -> [[UInt8]] {
        (0..<Inputs.batchCount).map { _ in Inputs.message(byteCount: 1024) }
    }

    /// Calls `body` with the messages' bytes, which stay pinned until it returns.
    private static func withPinned(
        _ messages: ArraySlice<[UInt8]>, _ pinned: [UnsafeRawBufferPointer],
        _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> UInt64
    ) -> UInt64 {
        guard let message = messages.first else { return unsafe pinned.withUnsafeBufferPointer(body) }
        return unsafe message.withUnsafeBytes { unsafe withPinned(messages.dropFirst(), pinned + [$0], body) }
    }
}
