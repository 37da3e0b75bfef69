import HubCommandLine

/// Tests write names as text.
extension OptionName: ExpressibleByStringLiteral {
    /// Creates a name.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}
