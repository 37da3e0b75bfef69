import NotificationHubs

extension XMLElement {
    /// Makes sure that the children stand in the order of the service's data contract, in which it reads them.
    ///
    /// - Parameters:
    ///   - names: the names in that order.
    ///   - what: what the element is, in a word.
    ///   - allowsOthers: whether there may be children of other names.
    func checkOrder(_ names: [String], of what: String, allowsOthers: Bool = true) throws(ServiceRefusal) {
        var next = names.startIndex
        for child in children {
            guard let place = names.firstIndex(of: String(child.localName)) else {
                if allowsOthers { continue }
                throw .badRequest("The \(what) cannot be taken: \(child.localName) is no element of it")
            }
            guard place >= next else {
                throw .badRequest(
                    "The \(what) cannot be taken: \(child.localName) stands behind \(names[next - 1]), before which it "
                        + "belongs")
            }
            next = place + 1
        }
    }
}
