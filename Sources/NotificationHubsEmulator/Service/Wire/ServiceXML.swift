import HubText
package import NotificationHubs

#if canImport(FoundationEssentials)
package import struct FoundationEssentials.Date
#else
package import struct Foundation.Date
#endif

extension XMLElement {
    /// Checks that the children are those of the service's data contract, in its order. The service requires this order.
    ///
    /// - Parameters:
    ///   - names: The children's names in order.
    ///   - kind: The kind of element, for the error message.
    func checkOrder(_ names: [String], of kind: String) throws(ServiceError) {
        var next = names.startIndex
        for child in children {
            guard let index = names.firstIndex(of: child.localName) else {
                throw .badRequest("invalid \(kind): unknown element \(child.localName)")
            }
            guard index >= next else {
                throw .badRequest("invalid \(kind): \(child.localName) must precede \(names[next - 1])")
            }
            next = index + 1
        }
    }

    /// Removes the children that are not in the order of the service's data contract, as its deserializer ignores them.
    ///
    /// - Parameters:
    ///   - names: The children's names in order.
    ///   - required: The names that cannot be ignored.
    ///   - kind: The kind of element, for the error message.
    ///   - onIgnored: A function to call with the name of each removed child.
    mutating func removeMisplaced(
        _ names: [String], required: [String], of kind: String, _ onIgnored: (String) -> Void
    ) throws(ServiceError) {
        var next = names.startIndex
        var kept: [XMLElement] = []
        for child in children {
            let name = child.localName
            let index = names.firstIndex(of: name)
            if let index, index < next {
                guard !required.contains(name) else {
                    throw .badRequest("invalid \(kind): \(name) must precede \(names[next - 1])")
                }
                onIgnored(name)
                continue
            }
            if let index { next = index + 1 }
            kept.append(child)
        }
        children = kept
    }
}

extension Atom {
    /// Returns the elements that precede an entry's content or a feed's entries.
    package static func head(title: String, url: String, times: [(name: String, date: Date)]) -> [XMLElement] {
        [
            XMLElement(name: "id", text: url),
            XMLElement(name: "title", attributes: ["type": "text"], text: title),
        ] + times.map { XMLElement(name: $0.name, text: Timestamp($0.date)?.text ?? "") }
            + [XMLElement(name: "link", attributes: ["rel": "self", "href": url])]
    }
}
