extension HubEmulator {
    /// An error for a snapshot that cannot be restored. The hub is unchanged.
    public struct SnapshotError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The number of the invalid line, from 1; `nil` if the error does not concern one line.
        public let line: Int?
        /// The problem and how to fix it, without the snapshot's secrets.
        public let reason: String
        /// The line and the problem, in one line.
        public var description: String { (line.map { "line \($0): " } ?? "") + reason }

        init(line: Int? = nil, _ reason: String) {
            (self.line, self.reason) = (line, reason)
        }
    }
}
