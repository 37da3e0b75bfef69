import HubCommandLine

extension OptionName {
    static let filter = OptionName("--filter")
    static let measurements = OptionName("--measurements")
}
