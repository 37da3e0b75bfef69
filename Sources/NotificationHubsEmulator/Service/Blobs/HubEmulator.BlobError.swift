extension HubEmulator {
    /// Why the emulator's storage does not do what it is asked.
    public struct BlobError: Error, Hashable, Sendable, CustomStringConvertible {
        let status: Int
        /// Azure Storage's word for it, such as `BlobNotFound`.
        public let code: String
        /// What is wrong, without any signature.
        public let description: String

        init(_ status: Int, _ code: String, _ description: String) {
            (self.status, self.code, self.description) = (status, code, description)
        }
    }
}
