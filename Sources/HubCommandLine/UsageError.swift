/// An error for an invalid command line or setting.
package struct UsageError: Error, Hashable, CustomStringConvertible {
    package let description: String

    /// Creates an error with a message.
    package init(_ description: String) {
        self.description = description
    }
}
