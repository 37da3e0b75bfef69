#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Comparisons of strings by their UTF-8 bytes. The operators of `String` treat canonically equivalent strings as equal.
extension String {
    /// Returns whether two strings have the same UTF-8 bytes.
    @inlinable
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && compareBytes(to: other) == 0
    }

    /// Returns whether the string precedes another one in the order of their UTF-8 bytes.
    package func precedesByBytes(_ other: String) -> Bool { compareBytes(to: other) < 0 }

    /// Returns whether the string has the given UTF-8 bytes.
    @usableFromInline
    func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8.count == bytes.count else { return false }
        let isSame = unsafe utf8.withContiguousStorageIfAvailable { text in
            guard let first = text.baseAddress, let second = bytes.baseAddress else { return true }
            return unsafe memcmp(first, second, text.count) == 0
        }
        // A string bridged from an Apple framework.
        return unsafe isSame ?? utf8.elementsEqual(bytes)
    }

    /// Hashes the UTF-8 bytes and their number.
    package func hashBytes(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        let isHashed: Void? = unsafe utf8.withContiguousStorageIfAvailable {
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil { for byte in utf8 { hasher.combine(byte) } }
    }

    /// Returns a negative number if the string precedes another one, 0 if they have the same bytes, and otherwise a positive number.
    @usableFromInline
    func compareBytes(to other: String) -> Int {
        let result: Int?? = unsafe utf8.withContiguousStorageIfAvailable { left in
            unsafe other.utf8.withContiguousStorageIfAvailable { right in
                // A short string is copied to the stack first; `memcmp` would wait for that copy.
                let count = min(left.count, right.count)
                var index = 0
                while index < count, index < 16 {
                    guard unsafe left[index] == right[index] else { return unsafe Int(left[index]) - Int(right[index]) }
                    index += 1
                }
                guard index < count, let first = left.baseAddress, let second = right.baseAddress else {
                    return left.count - right.count
                }
                let order = unsafe memcmp(first + index, second + index, count - index)
                return order == 0 ? left.count - right.count : Int(order)
            }
        }
        if let result, let result { return result }
        // A string bridged from an Apple framework.
        if utf8.elementsEqual(other.utf8) { return 0 }
        return utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
    }
}

/// A string that is compared and hashed by its UTF-8 bytes.
///
/// Both take linear time. `String` normalizes, which takes quadratic time for many combining marks.
package struct ByteString: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension Dictionary where Key == String {
    /// Returns whether two dictionaries have the same names, compared by their UTF-8 bytes, and equal values.
    package func hasSameBytes(as other: Self, comparing areEqual: (Value, Value) -> Bool) -> Bool {
        count == other.count
            && allSatisfy { name, value in
                guard let index = other.index(forKey: name) else { return false }
                return other[index].key.hasSameBytes(as: name) && areEqual(other[index].value, value)
            }
    }
}

extension [String: String] {
    /// Returns whether two dictionaries have the same names and values, compared by their UTF-8 bytes.
    package func hasSameBytes(as other: Self) -> Bool {
        hasSameBytes(as: other) { $0.hasSameBytes(as: $1) }
    }
}
