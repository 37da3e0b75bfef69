import HubCommandLine

/// The cases of the benchmark.
enum Workloads {
    /// Returns the cases in the order in which they are measured. With a forced kernel, reports the skipped cases.
    static func all(kernels: Kernels) throws -> [Workload] {
        var workloads = [0, 64, 1024, 1_048_576].map { HashWorkloads.oneMessage(byteCount: $0, kernels) }
        workloads.append(try HashWorkloads.portable())
        let codes = [CodeWorkloads.prepared(kernels, CodeWorkloads.key(kernels)), CodeWorkloads.verify(kernels)]
        let batches = [HashWorkloads.batch(kernels), CodeWorkloads.batch(kernels), CodeWorkloads.batchOfOne(kernels)]
        switch kernels {
        case .chosen:
            workloads += [CodeWorkloads.oneShot()] + codes
            workloads += batches + [HashWorkloads.batchAsArray(), CodeWorkloads.batchAsArray()]
            let server = try TokenWorkloads.server()
            workloads += [
                TokenWorkloads.sign(TokenWorkloads.signer()), TokenWorkloads.signBatch(),
                try TokenWorkloads.verify(server), try TokenWorkloads.verifyHeader(server),
                try TokenWorkloads.verifyBatch(server),
            ]
        case .forced:
            workloads += codes + batches
            Console.error(
                "signing-benchmark: skipping hmac-one-shot, sas-* and *-batch-array: --kernel does not apply to them")
        }
        return workloads
    }
}
