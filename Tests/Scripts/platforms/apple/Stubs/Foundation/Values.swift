// The part of Foundation that the package uses. Signatures, availability and sendability: https://developer.apple.com/documentation/foundation
@_exported import Darwin
@_exported import Dispatch
@_exported import ObjectiveC

public typealias TimeInterval = Double

@frozen
public struct Data: Hashable, Sendable, Codable, RandomAccessCollection, MutableCollection,
    RangeReplaceableCollection
{
    public typealias Index = Int
    public typealias Indices = Range<Int>

    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let atomic = WritingOptions(rawValue: 1 << 0)
        public static let withoutOverwriting = WritingOptions(rawValue: 1 << 1)
    }
    public struct Base64EncodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let lineLength64Characters = Base64EncodingOptions(rawValue: 1 << 0)
        public static let lineLength76Characters = Base64EncodingOptions(rawValue: 1 << 1)
        public static let endLineWithCarriageReturn = Base64EncodingOptions(rawValue: 1 << 4)
        public static let endLineWithLineFeed = Base64EncodingOptions(rawValue: 1 << 5)
    }
    public struct Base64DecodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let ignoreUnknownCharacters = Base64DecodingOptions(rawValue: 1 << 0)
    }

    public init() {}
    public init(capacity: Int) {}
    public init(count: Int) {}
    public init(repeating repeatedValue: UInt8, count: Int) {}
    public init<Elements: Sequence>(_ elements: Elements) where Elements.Element == UInt8 {}
    public init(contentsOf url: URL, options: ReadingOptions = []) throws {}
    public init?(base64Encoded text: String, options: Base64DecodingOptions = []) {}
    public init?(base64Encoded data: Data, options: Base64DecodingOptions = []) {}
    public init(from decoder: any Decoder) throws {}
    public func encode(to encoder: any Encoder) throws {}

    public var startIndex: Int { fatalError() }
    public var endIndex: Int { fatalError() }
    public func index(before index: Int) -> Int { fatalError() }
    public func index(after index: Int) -> Int { fatalError() }
    public subscript(index: Int) -> UInt8 {
        get { fatalError() }
        set {}
    }
    public subscript(bounds: Range<Int>) -> Data {
        get { fatalError() }
        set {}
    }
    public mutating func append(_ other: Data) {}
    public mutating func replaceSubrange<Elements: Collection>(_ subrange: Range<Int>, with newElements: Elements)
    where Elements.Element == UInt8 {}
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        fatalError()
    }
    public mutating func withUnsafeMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result { fatalError() }
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { fatalError() }
    public func base64EncodedData(options: Base64EncodingOptions = []) -> Data { fatalError() }
    public func write(to url: URL, options: WritingOptions = []) throws {}
}

@frozen public struct Date: Hashable, Comparable, Sendable, Codable, Strideable, CustomStringConvertible {
    public init() {}
    public init(timeIntervalSinceNow: TimeInterval) {}
    public init(timeIntervalSince1970: TimeInterval) {}
    public init(timeIntervalSinceReferenceDate: TimeInterval) {}
    public init(timeInterval: TimeInterval, since date: Date) {}
    public init(from decoder: any Decoder) throws {}
    public func encode(to encoder: any Encoder) throws {}

    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    public static var now: Date { fatalError() }
    public static let distantFuture = Date()
    public static let distantPast = Date()
    public var timeIntervalSinceReferenceDate: TimeInterval { fatalError() }
    public var timeIntervalSinceNow: TimeInterval { fatalError() }
    public var timeIntervalSince1970: TimeInterval { fatalError() }
    public func timeIntervalSince(_ date: Date) -> TimeInterval { fatalError() }
    public func addingTimeInterval(_ interval: TimeInterval) -> Date { fatalError() }
    public mutating func addTimeInterval(_ interval: TimeInterval) {}
    public func distance(to other: Date) -> TimeInterval { fatalError() }
    public func advanced(by interval: TimeInterval) -> Date { fatalError() }
    public static func < (left: Date, right: Date) -> Bool { fatalError() }
    public static func + (left: Date, right: TimeInterval) -> Date { fatalError() }
    public static func - (left: Date, right: TimeInterval) -> Date { fatalError() }
    public static func += (left: inout Date, right: TimeInterval) {}
    public static func -= (left: inout Date, right: TimeInterval) {}
    public var description: String { fatalError() }
}

@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
public protocol FormatStyle<FormatInput, FormatOutput>: Codable, Hashable {
    associatedtype FormatInput
    associatedtype FormatOutput
    func format(_ value: FormatInput) -> FormatOutput
}

@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
public protocol ParseStrategy<ParseInput, ParseOutput>: Codable, Hashable {
    associatedtype ParseInput
    associatedtype ParseOutput
    func parse(_ value: ParseInput) throws -> ParseOutput
}

@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
extension Date {
    public struct ISO8601FormatStyle: FormatStyle, ParseStrategy, Sendable {
        public enum DateSeparator: String, Codable, Sendable { case dash, omitted }
        public enum DateTimeSeparator: String, Codable, Sendable { case space, standard }
        public enum TimeSeparator: String, Codable, Sendable { case colon, omitted }
        public enum TimeZoneSeparator: String, Codable, Sendable { case colon, omitted }
        public init(
            dateSeparator: DateSeparator = .dash, dateTimeSeparator: DateTimeSeparator = .standard,
            timeSeparator: TimeSeparator = .colon, timeZoneSeparator: TimeZoneSeparator = .omitted,
            includingFractionalSeconds: Bool = false, timeZone: TimeZone = .init(secondsFromGMT: 0)!
        ) {}
        public func format(_ value: Date) -> String { fatalError() }
        public func parse(_ value: String) throws -> Date { fatalError() }
    }
    public init<Strategy: ParseStrategy>(_ value: Strategy.ParseInput, strategy: Strategy) throws
    where Strategy.ParseOutput == Date { fatalError() }
    public func formatted<Style: FormatStyle>(_ format: Style) -> Style.FormatOutput where Style.FormatInput == Date {
        fatalError()
    }
}

@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
extension FormatStyle where Self == Date.ISO8601FormatStyle {
    public static var iso8601: Date.ISO8601FormatStyle { fatalError() }
}

@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    public static var iso8601: Date.ISO8601FormatStyle { fatalError() }
}

public struct TimeZone: Hashable, Sendable, Codable {
    public init?(identifier: String) {}
    public init?(secondsFromGMT seconds: Int) {}
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1.0, *)
    public static var gmt: TimeZone { fatalError() }
}

public struct Locale: Hashable, Sendable, Codable {
    public init(identifier: String) {}
}

public struct UUID: Hashable, Sendable, Codable, CustomStringConvertible {
    public init() {}
    public init?(uuidString: String) {}
    public var uuidString: String { fatalError() }
    public var description: String { fatalError() }
}

public struct Decimal: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public init() {}
    public init(_ value: Int) {}
    public init(_ value: Double) {}
    public init?(string: String, locale: Locale? = nil) {}
    public static func < (left: Decimal, right: Decimal) -> Bool { fatalError() }
    public var description: String { fatalError() }
}

public struct CharacterSet: Hashable, Sendable, Codable, ExpressibleByArrayLiteral {
    public init() {}
    public init(arrayLiteral elements: Unicode.Scalar...) {}
    public init(charactersIn string: String) {}
    public static var alphanumerics: CharacterSet { fatalError() }
    public static var newlines: CharacterSet { fatalError() }
    public static var urlHostAllowed: CharacterSet { fatalError() }
    public static var urlPathAllowed: CharacterSet { fatalError() }
    public static var urlQueryAllowed: CharacterSet { fatalError() }
    public static var whitespaces: CharacterSet { fatalError() }
    public static var whitespacesAndNewlines: CharacterSet { fatalError() }
}
