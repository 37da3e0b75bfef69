import NotificationHubs

/// An estimate of the memory that a value uses.
struct MemorySize {
    private(set) var byteCount: Int

    /// Creates a size.
    ///
    /// - Parameter overhead: The bytes of the value itself and of its entries in dictionaries and indexes.
    init(overhead: Int) { byteCount = overhead }

    mutating func add(overhead: Int) { byteCount += overhead }

    mutating func add(_ text: String?) {
        // A string's heap object has a header and spare capacity.
        byteCount += text.map { 48 + $0.utf8.count } ?? 0
    }

    mutating func add(_ channel: PushChannel) {
        for part in channel.parts { add(part) }
        if let properties = channel.browserSubscription?.additionalProperties { add(properties) }
        add(overhead: channel.sourceJSON?.count ?? 0)
    }

    mutating func add(_ tags: [NotificationHub.Tag]) {
        // The index has an entry for each tag.
        for tag in tags { byteCount += 128 + tag.rawValue.utf8.count }
    }

    mutating func add(_ texts: [String: String]) {
        for (name, text) in texts {
            add(name)
            add(text)
        }
    }

    mutating func add(_ properties: AdditionalProperties) {
        // A value uses more memory than its JSON text, which can have two bytes.
        if !properties.isEmpty { byteCount += 12 * JSONValue.object(properties.members).bytes.count }
    }
}

extension [String: String] {
    /// The size of the names and values in UTF-8.
    package var byteCount: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
}

extension Installation {
    /// The estimated memory size in bytes, with the installation's entries in the hub's indexes.
    var byteCount: Int {
        var size = MemorySize(overhead: 1200)
        size.add(id.rawValue)
        size.add(pushChannel)
        size.add(userID?.rawValue)
        size.add(tags)
        size.add(pushVariables)
        size.add(additionalProperties)
        for (name, template) in templates { size.add(template, named: name) }
        for (id, tile) in secondaryTiles {
            size.add(overhead: 512)
            size.add(id)
            size.add(tile.pushChannel)
            size.add(tile.tags)
            size.add(tile.additionalProperties)
            for (name, template) in tile.templates { size.add(template, named: name) }
        }
        return size.byteCount
    }
}

extension MemorySize {
    fileprivate mutating func add(_ template: Installation.Template, named name: Installation.Template.Name) {
        add(overhead: 256)
        add(name.rawValue)
        add(template.body)
        add(template.headers)
        add(template.tags)
        add(template.expiry?.rawValue)
        add(template.additionalProperties)
    }
}

extension XMLElement {
    /// The estimated memory size in bytes.
    var byteCount: Int {
        var size = MemorySize(overhead: 128)
        for text in [name, localName, text] { size.add(text) }
        size.add(attributes)
        for child in children { size.add(overhead: child.byteCount) }
        return size.byteCount
    }
}

extension Registration {
    /// The estimated memory size in bytes, with the registration's entries in the hub's indexes.
    var byteCount: Int {
        var size = MemorySize(overhead: 800)
        size.add(pushChannel)
        size.add(tags)
        size.add(pushVariables)
        size.add(secondaryTileName)
        if let template {
            for text in [template.body, template.expiry?.rawValue, template.priority, template.name?.rawValue] {
                size.add(text)
            }
            size.add(template.headers)
        }
        return size.byteCount
    }
}
