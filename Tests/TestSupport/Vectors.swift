public import Foundation

/// Test vectors of the project's one format: `name: value` a line, a blank line between cases, `#` before comments.
///
/// Every case has just the fields that the reader is told, so that no line of a file goes unread.
public struct Vectors: Sendable {
    /// A case's values by their fields' names.
    public struct Case: Sendable, CustomStringConvertible {
        private let values: [String: String]
        private let place: String

        init(_ values: [String: String], place: String) {
            self.values = values
            self.place = place
        }

        /// A field as text.
        public func text(_ field: String) throws -> String {
            guard let value = values[field] else { throw Malformed(description: "\(place): no \(field)") }
            return value
        }

        /// A field of hexadecimal bytes, with `* N` behind them to repeat them.
        public func bytes(_ field: String) throws -> [UInt8] {
            let parts = try text(field).split(separator: "*").map { $0.trimmingCharacters(in: .whitespaces) }
            let unit = try bytes(hexadecimal: parts.first ?? "")
            guard parts.count == 2 else { return unit }
            guard let count = Int(parts[1]) else { throw Malformed(description: "\(place): \(parts[1]) is no count") }
            return Array(repeatElement(unit, count: count).joined())
        }

        /// The values of hexadecimal digits, by their ASCII codes.
        private static let digits = (0..<256).map { Character(UnicodeScalar(UInt8($0))).hexDigitValue.map(UInt8.init) }

        private func bytes(hexadecimal text: String) throws -> [UInt8] {
            let digits = try text.utf8.map { digit in
                guard let value = Self.digits[Int(digit)] else {
                    throw Malformed(description: "\(place): \(text) is not hexadecimal")
                }
                return value
            }
            guard digits.count.isMultiple(of: 2) else { throw Malformed(description: "\(place): half a byte") }
            return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }

        /// What the case is called, in a test's report.
        public var description: String { values["case"] ?? place }
    }

    /// A file that is not as it should be.
    public struct Malformed: Error, CustomStringConvertible {
        /// Where, and what is wrong.
        public let description: String
    }

    /// Reads a file of `Fixtures/`.
    ///
    /// - Parameter fields: the fields of each case, besides `case`, which names it.
    public static func cases(_ path: String, fields: [String]) throws -> [Case] {
        let text = try String(contentsOf: Fixtures.url(path), encoding: .utf8)
        var cases: [Case] = []
        var values: [String: String] = [:]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in (lines + [""]).enumerated() {
            let place = "\(path):\(index + 1)"
            if line.hasPrefix("#") { continue }
            if line.isEmpty {
                if values.isEmpty { continue }
                guard Set(values.keys) == Set(fields + ["case"]) else {
                    throw Malformed(description: "\(place): the fields are \(values.keys.sorted())")
                }
                cases.append(Case(values, place: place))
                values = [:]
                continue
            }
            guard let colon = line.firstIndex(of: ":") else { throw Malformed(description: "\(place): no colon") }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            guard values.updateValue(value, forKey: String(line[..<colon])) == nil else {
                throw Malformed(description: "\(place): a field is there twice")
            }
        }
        guard !cases.isEmpty else { throw Malformed(description: "\(path): no case") }
        return cases
    }
}

/// The files of `Fixtures/`.
public enum Fixtures {
    /// The repository's root.
    public static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// A file by its path below `Fixtures/`.
    public static func url(_ path: String) -> URL {
        root.appending(path: "Fixtures").appending(path: path)
    }
}
