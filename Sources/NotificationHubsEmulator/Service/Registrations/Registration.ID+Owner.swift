import NotificationHubs

extension Registration.ID {
    /// The id of a registration that something else is made into; it says of what.
    init(of owner: String, part: String) {
        self.init(unchecked: "\(Self.number(of: owner))-\(Self.number(of: owner + "/" + part))-1")
    }

    /// The number of an owner. That of another one may be the same.
    static func number(of owner: String) -> String {
        // FNV-1a: short, and no secret depends on it.
        String(owner.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } >> 1)
    }

    /// The number of what it was made of, if it was.
    var ownerNumber: String { String(text.prefix { $0 != "-" }) }
}
