import HubText
import NotificationHubs

/// What `$filter` asks for: `ChannelUri eq 'HANDLE'`, or the same by a platform's own name for its handles, several with `and`.
struct RegistrationFilter {
    private let terms: [(name: [UInt8], value: String)]

    /// The name of any platform's handle, which .NET's and Java's SDKs compare.
    private static let anyHandle = Array("channeluri".utf8)
    /// The names that a filter can compare, in lower case.
    private static let names = Set(
        PlatformTable.all.flatMap { $0.registrations.prefix(1).flatMap(\.handle) }.map(\.rawValue.utf8.asciiLowercased))

    /// - Parameter text: the filter, decoded.
    init(_ text: String) throws(ServiceRefusal) {
        var rest = Array(text.utf8)[...]
        var terms: [([UInt8], String)] = []
        repeat {
            let word = rest.prefix { $0.isASCIILetterOrDigit }
            let name = word.asciiLowercased
            rest = rest[word.endIndex...]
            guard Self.names.contains(name), Self.skip(" eq '", &rest), let value = Self.quoted(&rest)
            else { throw .badRequest("The specified HTTP query filter is not valid: NAME eq 'VALUE' is") }
            terms.append((name, value))
        } while Self.skip(" and ", &rest)
        guard rest.isEmpty else {
            throw .badRequest("The specified HTTP query filter is not valid: NAME eq 'VALUE' is")
        }
        self.terms = terms
    }

    func isTrue(of channel: PushChannel) -> Bool {
        terms.allSatisfy { name, value in
            guard let own = Self.value(name, channel) else { return false }
            return channel.platform.row?.handle == .hexadecimal
                ? own.utf8.isEqual(ignoringCase: value)
                : own.utf8.elementsEqual(value.utf8)
        }
    }

    private static func value(_ name: [UInt8], _ channel: PushChannel) -> String? {
        if name == anyHandle { return channel.handle }
        let elements = channel.platform.row?.registrations.first?.handle ?? []
        return zip(elements, channel.parts).first { $0.0.rawValue.utf8.asciiLowercased == name }?.1
    }

    private static func skip(_ text: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// The text up to the closing quote; a quote within it is written twice (OData 4.01 §5.1.1.6.1).
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
