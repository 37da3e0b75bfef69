import HubCommandLine

extension OptionName {
    static let baseline = OptionName("--baseline")
    static let chart = OptionName("--chart")
    static let compare = OptionName("--compare")
    static let failAbove = OptionName("--fail-above")
    static let filter = OptionName("--filter")
    static let input = OptionName("--input")
    static let kernel = OptionName("--kernel")
    static let laps = OptionName("--laps")
    static let libcrypto = OptionName("--libcrypto")
    static let markdown = OptionName("--markdown")
    static let peers = OptionName("--peers")
    static let rounds = OptionName("--rounds")
    static let threads = OptionName("--threads")
}
