import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The accepted writes to a hub's installations, in order of arrival, which is also the order in which they are due.
struct WriteQueue: Sendable {
    enum Write: Sendable {
        case put(Installation, InstallationStore.Write)
        case delete(Installation.ID)

        var id: Installation.ID {
            switch self {
            case .put(let installation, _): installation.id
            case .delete(let id): id
            }
        }

        fileprivate var byteCount: Int {
            switch self {
            case .put(let installation, _): installation.byteCount
            case .delete(let id): 128 + id.rawValue.utf8.count
            }
        }
    }

    private struct Entry {
        let write: Write
        let due: Date
        let byteCount: Int
    }

    /// Starts with removed entries, which are `nil`, so that a removal does not move the whole array.
    private var entries: [Entry?] = []
    private var firstIndex = 0
    /// The number of entries that were moved out of the array.
    private var movedCount = 0
    /// The number of each installation's last write. Numbers start at 0 and are not reused.
    private var lastNumbers: [Installation.ID: Int] = [:]
    /// The estimated memory size in bytes.
    private(set) var byteCount = 0

    /// The time when the first write is due; `nil` if there is none.
    var nextDue: Date? { firstIndex < entries.count ? entries[firstIndex]?.due : nil }

    mutating func append(_ write: Write, due: Date) {
        let entry = Entry(write: write, due: due, byteCount: write.byteCount)
        lastNumbers[write.id] = movedCount + entries.count
        entries.append(entry)
        byteCount += entry.byteCount
    }

    /// Returns an installation's last write; `nil` if there is none.
    func lastWrite(to id: Installation.ID) -> Write? {
        lastNumbers[id].flatMap { entries[$0 - movedCount]?.write }
    }

    /// Removes and returns the first write if it is due at a time.
    mutating func removeFirst(until date: Date) -> Write? {
        guard firstIndex < entries.count, let entry = entries[firstIndex], entry.due <= date else { return nil }
        if lastNumbers[entry.write.id] == movedCount + firstIndex { lastNumbers[entry.write.id] = nil }
        byteCount -= entry.byteCount
        entries[firstIndex] = nil
        firstIndex += 1
        if firstIndex > entries.count / 2 {
            entries.removeFirst(firstIndex)
            (firstIndex, movedCount) = (0, movedCount + firstIndex)
        }
        return entry.write
    }
}
