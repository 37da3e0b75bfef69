import HubText
import NotificationHubs

/// A parsed `$filter`: comparisons such as `ChannelUri eq 'HANDLE'`, joined by `and`.
///
/// Each platform also has its own names for the parts of its handles.
struct RegistrationFilter {
    private let terms: [(name: [UInt8], value: String)]

    /// The name for a handle of any platform, which the .NET and Java SDKs send.
    private static let anyHandle = Array("channeluri".utf8)
    /// The names of handles with several parts, which Android apps with Baidu send: `BaiduUserId-BaiduChannelId`.
    private static let joinedNames = Set(
        PlatformTable.all.filter { $0.handle == .pairOfIDs }.flatMap(\.registrations).map { kind in
            kind.handle.map(\.rawValue).joined(separator: "-").utf8.asciiLowercased
        })
    /// The names that a filter can compare, in lowercase.
    private static let names = joinedNames.union(
        PlatformTable.all.flatMap { $0.registrations.prefix(1).flatMap(\.handle) }.map(\.rawValue.utf8.asciiLowercased))

    /// Creates a filter from its text.
    ///
    /// - Parameter text: The filter, percent-decoded.
    init(_ text: String) throws(ServiceError) {
        var rest = Array(text.utf8)[...]
        var terms: [([UInt8], String)] = []
        repeat {
            let word = rest.prefix { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
            let name = word.asciiLowercased
            rest = rest[word.endIndex...]
            guard Self.names.contains(name), Self.skip(" eq '", &rest), let value = Self.quoted(&rest)
            else { throw Self.invalidFilter }
            terms.append((name, value))
        } while Self.skip(" and ", &rest)
        guard rest.isEmpty else { throw Self.invalidFilter }
        self.terms = terms
    }

    private static let invalidFilter = ServiceError.badRequest(
        "invalid $filter: expected NAME eq 'VALUE', where NAME is ChannelUri or another element of a device's handle")

    /// The names of a platform's handle, in lowercase. A browser's handle is the first of its parts, the endpoint.
    private static let handleNames = Set(
        PlatformTable.all.filter { $0.handle != .pairOfIDs }.flatMap(\.registrations).compactMap(\.handle.first)
            .map(\.rawValue.utf8.asciiLowercased) + [anyHandle]
    ).union(joinedNames)

    /// The handle that all matching devices have, as the key of an index; `nil` if the filter compares parts of handles.
    var indexedHandle: String? {
        terms.first { Self.handleNames.contains($0.name) }.map { PushChannel.indexedHandle($0.value) }
    }

    /// Whether a value still contains percent-encoded characters.
    var isEncodedTwice: Bool {
        terms.contains { $0.value.contains("%") && String(percentDecoding: $0.value) != $0.value }
    }

    /// Returns whether a device matches the filter.
    func isTrue(of channel: PushChannel) -> Bool {
        terms.allSatisfy { name, value in
            guard let channelValue = Self.value(name, channel) else { return false }
            return channel.platform.row?.handle == .hexadecimal
                ? channelValue.utf8.isEqual(ignoringCase: value)
                : channelValue.utf8.elementsEqual(value.utf8)
        }
    }

    private static func value(_ name: [UInt8], _ channel: PushChannel) -> String? {
        if name == anyHandle { return channel.handle }
        if joinedNames.contains(name) { return channel.platform.row?.handle == .pairOfIDs ? channel.handle : nil }
        let elements = channel.platform.row?.registrations.first?.handle ?? []
        return zip(elements, channel.parts).first { $0.0.rawValue.utf8.asciiLowercased == name }?.1
    }

    private static func skip(_ text: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Parses a string up to its closing quote. A doubled quote stands for one quote (OData 4.01 §5.1.1.6.1).
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "'") else {
                value.append(byte)
                continue
            }
            guard rest.first == byte else { return String(decoding: value, as: UTF8.self) }
            value.append(byte)
            rest = rest.dropFirst()
        }
        return nil
    }
}
