import HubCrypto

/// A case to measure.
struct Case {
    /// The name, such as `hmac-verify/portable`.
    let name: String
    /// Whether the case contains a planted fault, which must be found.
    let isPlanted: Bool
    /// Creates the operation and its inputs.
    let makeSubject: () throws -> any Subject

    init(_ name: String, isPlanted: Bool = false, makeSubject: @escaping () throws -> any Subject) {
        (self.name, self.isPlanted, self.makeSubject) = (name, isPlanted, makeSubject)
    }

    /// All cases that this machine can run.
    static var all: [Case] {
        KernelCases.all + CodeCases.all + TokenCases.all + PlantedFault.cases
    }
}

extension SHA256.Kernel {
    /// The choice that forces this kernel; `nil` if this machine or this build does not have it.
    var choice: KernelChoice? { try? KernelChoice(forcing: self) }

    /// The available kernels that hash single messages.
    static var single: [(name: String, choice: KernelChoice)] {
        all.filter { $0 != .avx512 }.compactMap { kernel in kernel.choice.map { (kernel.rawValue, $0) } }
    }
}

/// An error for a case whose operations did not give the expected results.
struct CaseError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
