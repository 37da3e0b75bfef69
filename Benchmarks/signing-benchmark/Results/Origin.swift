import HubBenchmarkSystem
import HubCommandLine

/// The machine and the sources that produced a result.
struct Origin {
    /// The processor, the system and the Swift version, if known.
    let machine: String?
    /// The commit of the sources, if known.
    let commit: String?

    /// The origin of results that this process measures.
    static let current = Origin(machine: Machine.summary, commit: SourceCommit.checkedOut)
}

extension JSONOutput {
    /// Adds the members `machine` and `commit`.
    mutating func add(_ origin: Origin) {
        for (name, text) in [("machine", origin.machine), ("commit", origin.commit)] {
            if let text { add(name, text) } else { add(name, literal: "null") }
        }
    }
}
