import HubCommandLine

extension OptionName {
    static let count = OptionName("--count")
    static let filter = OptionName("--filter")
    static let inFlight = OptionName("--in-flight")
    static let tls = OptionName("--tls")
}
