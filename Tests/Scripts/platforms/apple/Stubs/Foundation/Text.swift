extension String {
    public struct Encoding: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let ascii = Encoding(rawValue: 1)
        public static let utf8 = Encoding(rawValue: 4)
        public static let isoLatin1 = Encoding(rawValue: 5)
        public static let utf16 = Encoding(rawValue: 10)
        public static let utf16BigEndian = Encoding(rawValue: 0x9000_0100)
        public static let utf16LittleEndian = Encoding(rawValue: 0x9400_0100)
        public static let utf32BigEndian = Encoding(rawValue: 0x9800_0100)
        public static let utf32LittleEndian = Encoding(rawValue: 0x9c00_0100)
    }

    public init(contentsOf url: URL, encoding: Encoding) throws { fatalError() }
    public init(contentsOfFile path: String, encoding: Encoding) throws { fatalError() }
    public init?(data: Data, encoding: Encoding) { fatalError() }
    public init(format: String, _ arguments: any CVarArg...) { fatalError() }
}

extension StringProtocol {
    public func addingPercentEncoding(withAllowedCharacters allowed: CharacterSet) -> String? { fatalError() }
    public var removingPercentEncoding: String? { fatalError() }
    public func contains<Other: StringProtocol>(_ other: Other) -> Bool { fatalError() }
    public func localizedStandardContains<Other: StringProtocol>(_ string: Other) -> Bool { fatalError() }
    public func components<Separator: StringProtocol>(separatedBy separator: Separator) -> [String] { fatalError() }
    public func components(separatedBy separator: CharacterSet) -> [String] { fatalError() }
    public func data(using encoding: String.Encoding, allowLossyConversion: Bool = false) -> Data? { fatalError() }
    public func replacingOccurrences<Target: StringProtocol, Replacement: StringProtocol>(
        of target: Target, with replacement: Replacement, options: String.CompareOptions = [],
        range searchRange: Range<Index>? = nil
    ) -> String { fatalError() }
    public func range<Other: StringProtocol>(
        of string: Other, options: String.CompareOptions = [], range searchRange: Range<Index>? = nil,
        locale: Locale? = nil
    ) -> Range<Index>? { fatalError() }
    public func trimmingCharacters(in set: CharacterSet) -> String { fatalError() }
    public func write(to url: URL, atomically: Bool, encoding: String.Encoding) throws {}
    public func write<Path: StringProtocol>(
        toFile path: Path, atomically: Bool, encoding: String.Encoding
    ) throws {}
}

extension String {
    public struct CompareOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let caseInsensitive = CompareOptions(rawValue: 1)
        public static let literal = CompareOptions(rawValue: 2)
        public static let backwards = CompareOptions(rawValue: 4)
        public static let anchored = CompareOptions(rawValue: 8)
        public static let regularExpression = CompareOptions(rawValue: 1024)
    }
}
