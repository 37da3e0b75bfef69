import HubLock
import NotificationHubs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A limit on the memory that the state of one or more hubs uses. All sizes are estimates.
package final class MemoryBudget: Sendable {
    /// The default limit: 1 GiB. About 400,000 ordinary installations fit.
    package static let defaultLimit = 1 << 30

    /// The limit in bytes.
    package let limit: Int
    private let used = Locked(0)

    /// Creates an unused budget with a limit in bytes.
    package init(limit: Int = defaultLimit) {
        self.limit = limit
    }

    /// The number of bytes that the hubs use.
    package var usedByteCount: Int { used.withLock { $0 } }

    /// Adds to the number of used bytes.
    func add(_ byteCount: Int) {
        if byteCount != 0 { used.withLock { $0 += byteCount } }
    }

    /// Returns freed memory to the system. Otherwise, the C library keeps most of it for later allocations.
    static func returnFreeMemory() {
        // Swift's module of the C library lacks this function of GNU's.
        guard let address = unsafe dlsym(nil, "malloc_trim") else { return }
        let trim = unsafe unsafeBitCast(address, to: (@convention(c) (Int) -> CInt).self)
        _ = trim(0)
    }

    /// The limit in bytes of each part of a hub's state that drops its oldest elements.
    var historyLimit: Int { min(64 << 20, limit / 16) }
}

/// An estimate of the memory that a value uses.
struct MemorySize {
    private(set) var byteCount: Int

    /// Creates a size.
    ///
    /// - Parameter overhead: The bytes of the value itself and of its entries in dictionaries and indexes.
    init(overhead: Int) { byteCount = overhead }

    mutating func add(_ text: String?) {
        // A string's heap object has a header and spare capacity.
        byteCount += text.map { 48 + $0.utf8.count } ?? 0
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

extension Installation {
    /// The estimated memory size in bytes, with the installation's entries in the hub's indexes.
    var byteCount: Int {
        var size = MemorySize(overhead: 1200)
        size.add(id.rawValue)
        size.add(pushChannel.handle)
        size.add(userID?.rawValue)
        size.add(tags)
        size.add(pushVariables)
        size.add(additionalProperties)
        for (name, template) in templates { size.add(template, named: name) }
        for (id, tile) in secondaryTiles {
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
        byteCount += 256
        add(name.rawValue)
        add(template.body)
        add(template.headers)
        add(template.tags)
        add(template.expiry?.rawValue)
        add(template.additionalProperties)
    }
}

extension Registration {
    /// The estimated memory size in bytes, with the registration's entries in the hub's indexes.
    var byteCount: Int {
        var size = MemorySize(overhead: 800)
        size.add(pushChannel.handle)
        size.add(tags)
        size.add(pushVariables)
        size.add(template?.body)
        size.add(template?.headers ?? [:])
        return size.byteCount
    }
}
