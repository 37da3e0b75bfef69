import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A line of a snapshot: a JSON object whose members are removed as they are read.
struct SnapshotLine {
    typealias SnapshotError = HubEmulator.SnapshotError

    /// The item that a line contains.
    enum Kind: String, CaseIterable {
        case hub, installation, registration, deletedRegistration, scheduledMessage, job, container, blob
        case rejectedChannel, end
    }

    /// The greatest number that JSON parsers agree on (RFC 8259 §6), or less on a watch. Counting up from it cannot overflow.
    private static let maximumNumber = Int(min(9_007_199_254_740_991, Int64(Int.max / 2)))

    let number: Int
    private var object: JSONObject

    /// Parses a line.
    init(_ bytes: some Sequence<UInt8>, number: Int) throws(SnapshotError) {
        self.number = number
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw SnapshotError(line: number, "invalid JSON: \(error)")
        }
        guard case .object(let object) = value else { throw SnapshotError(line: number, "expected a JSON object") }
        self.object = object
    }

    /// Returns an error for this line.
    func error(_ reason: String) -> SnapshotError { SnapshotError(line: number, reason) }

    /// Returns the result of a closure, or throws its error as an error for this line.
    ///
    /// - Parameter subject: The invalid value, if the closure's errors do not name it.
    func parse<Value>(_ subject: String? = nil, _ body: () throws -> Value) throws(SnapshotError) -> Value {
        let prefix = subject.map { "invalid \($0): " } ?? ""
        do {
            return try body()
        } catch let failure as ServiceError {
            throw error(prefix + failure.detail)
        } catch {
            throw self.error("\(prefix)\(error)")
        }
    }

    /// Removes and returns an optional member with a type that a closure selects.
    private mutating func optional<Value>(
        _ name: String, _ type: String, _ convert: (JSONValue) -> Value?
    ) throws(SnapshotError) -> Value? {
        guard let member = object[name] else { return nil }
        object[name] = nil
        guard let value = convert(member) else { throw error("invalid \(name): expected \(type)") }
        return value
    }

    private func required<Value>(_ value: Value?, _ name: String) throws(SnapshotError) -> Value {
        guard let value else { throw error("missing \(name)") }
        return value
    }

    mutating func kind() throws(SnapshotError) -> Kind {
        let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        return try required(optional("kind", "one of \(kinds)") { $0.string.flatMap(Kind.init) }, "kind")
    }

    mutating func optionalString(_ name: String) throws(SnapshotError) -> String? {
        try optional(name, "a string") { $0.string }
    }

    mutating func string(_ name: String) throws(SnapshotError) -> String {
        try required(optionalString(name), name)
    }

    mutating func integer(_ name: String, from minimum: Int = 0) throws(SnapshotError) -> Int {
        try required(
            optional(name, "an integer from \(minimum) to \(Self.maximumNumber)") { value in
                guard case .number(let number) = value, let integer = Int(number.text),
                    (minimum...Self.maximumNumber).contains(integer)
                else { return nil }
                return integer
            }, name)
    }

    /// Removes and returns a time, in seconds since 1970.
    mutating func date(_ name: String) throws(SnapshotError) -> Date {
        try required(optionalDate(name), name)
    }

    /// Removes and returns a time, in seconds since 1970; `nil` if it is missing.
    mutating func optionalDate(_ name: String) throws(SnapshotError) -> Date? {
        try optional(name, "the seconds since 1970") { value in
            guard case .number(let number) = value, let seconds = Double(number.text), seconds.isFinite else {
                return nil
            }
            let date = Date(timeIntervalSince1970: seconds)
            return Timestamp(date).map { _ in date }
        }
    }

    /// Removes and returns an array of strings, which is empty if it is missing.
    mutating func strings(_ name: String) throws(SnapshotError) -> [String] {
        try optional(name, "an array of strings") { value in
            guard case .array(let values) = value else { return nil }
            let strings = values.compactMap(\.string)
            return strings.count == values.count ? strings : nil
        } ?? []
    }

    /// Removes and returns an object of strings, which is empty if it is missing.
    mutating func dictionary(_ name: String) throws(SnapshotError) -> [String: String] {
        try optional(name, "an object of strings with distinct names") { value in
            guard case .object(let object) = value else { return nil }
            let pairs = object.members.compactMap { member in member.value.string.map { (member.name, $0) } }
            let dictionary = Dictionary(pairs) { $1 }
            return dictionary.count == object.members.count ? dictionary : nil
        } ?? [:]
    }

    /// Removes and returns an array of objects, whose members are read in the same way.
    mutating func objects(_ name: String) throws(SnapshotError) -> [SnapshotLine] {
        let number = number
        return try required(
            optional(name, "an array of objects") { value in
                guard case .array(let values) = value else { return nil }
                let lines = values.compactMap { SnapshotLine($0, number: number) }
                return lines.count == values.count ? lines : nil
            }, name)
    }

    private init?(_ value: JSONValue, number: Int) {
        guard case .object(let object) = value else { return nil }
        (self.object, self.number) = (object, number)
    }

    /// Throws if a member has not been read.
    func finish() throws(SnapshotError) {
        guard object.isEmpty else { throw error("unknown or unexpected member") }
    }
}

extension JSONValue {
    /// Returns a time with its fraction, in seconds since 1970.
    static func seconds(_ date: Date) -> Self? {
        JSONNumber("\(date.timeIntervalSince1970)").map { .number($0) }
    }

    static func strings(_ texts: some Sequence<String>) -> Self { .array(texts.map { .string($0) }) }
}
