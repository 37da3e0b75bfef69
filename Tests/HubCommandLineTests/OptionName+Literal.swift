import HubCommandLine

/// Tests write names as text.
extension OptionName: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) {
        self.init(name)
    }
}
