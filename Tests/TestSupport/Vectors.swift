public import Foundation

/// Test vectors in the project's format: one `name: value` per line, a blank line between cases, and `#` for comment
/// lines.
///
/// Each case must have exactly the requested fields, so that no line of a file is ignored.
public struct Vectors: Sendable {
    /// The fields of a case.
    public struct Case: Sendable, CustomStringConvertible {
        private let values: [String: String]
        private let location: String

        init(_ values: [String: String], location: String) {
            self.values = values
            self.location = location
        }

        /// Returns the text of a field.
        public func text(_ field: String) throws -> String {
            guard let value = values[field] else {
                throw FormatError(description: "\(location): missing field \(field)")
            }
            return value
        }

        /// Returns the bytes of a hexadecimal field. A suffix `* N` repeats them N times.
        public func bytes(_ field: String) throws -> [UInt8] {
            let parts = try text(field).split(separator: "*").map { $0.trimmingCharacters(in: .whitespaces) }
            let unit = try bytes(hexadecimal: parts.first ?? "")
            guard parts.count == 2 else { return unit }
            guard let count = Int(parts[1]) else {
                throw FormatError(description: "\(location): invalid repeat count \(parts[1])")
            }
            guard unit.count > 1 else { return unit.first.map { Array(repeating: $0, count: count) } ?? [] }
            return Array(repeatElement(unit, count: count).joined())
        }

        /// The values of hexadecimal digits, indexed by ASCII code.
        private static let digits = (0..<256).map { Character(UnicodeScalar(UInt8($0))).hexDigitValue.map(UInt8.init) }

        private func bytes(hexadecimal text: String) throws -> [UInt8] {
            let digits = try text.utf8.map { digit in
                guard let value = Self.digits[Int(digit)] else {
                    throw FormatError(description: "\(location): invalid hexadecimal text \(text)")
                }
                return value
            }
            guard digits.count.isMultiple(of: 2) else {
                throw FormatError(description: "\(location): odd number of hexadecimal digits")
            }
            return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }

        /// The name of the case in test reports.
        public var description: String { values["case"] ?? location }
    }

    /// A file with an invalid format.
    public struct FormatError: Error, CustomStringConvertible {
        /// The location and the problem.
        public let description: String
    }

    /// Reads a file in `Fixtures/`.
    ///
    /// - Parameter fields: The fields of each case, in addition to `case`, its name.
    public static func cases(_ path: String, fields: [String]) throws -> [Case] {
        let text = try String(contentsOf: Fixtures.url(path), encoding: .utf8)
        var cases: [Case] = []
        var values: [String: String] = [:]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in (lines + [""]).enumerated() {
            let location = "\(path):\(index + 1)"
            if line.hasPrefix("#") { continue }
            if line.isEmpty {
                if values.isEmpty { continue }
                guard Set(values.keys) == Set(fields + ["case"]) else {
                    throw FormatError(description: "\(location): unexpected or missing fields: \(values.keys.sorted())")
                }
                cases.append(Case(values, location: location))
                values = [:]
                continue
            }
            guard let colon = line.firstIndex(of: ":") else {
                throw FormatError(description: "\(location): missing colon")
            }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            guard values.updateValue(value, forKey: String(line[..<colon])) == nil else {
                throw FormatError(description: "\(location): duplicate field")
            }
        }
        guard !cases.isEmpty else { throw FormatError(description: "\(path): no cases") }
        return cases
    }
}

/// The files in `Fixtures/`.
public enum Fixtures {
    /// The root of the repository.
    public static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// Returns the URL of a file, given its path below `Fixtures/`.
    public static func url(_ path: String) -> URL {
        root.appending(path: "Fixtures").appending(path: path)
    }
}
