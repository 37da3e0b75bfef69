/// A pattern for paths: `*` matches any characters except `/`, `**` any characters, and `?` one character except `/`.
///
/// A pattern without `/` applies to the names of files and directories at any depth. A pattern that matches a directory
/// applies to everything in it.
struct Glob {
    private let pattern: [UInt8]

    /// Creates a pattern. Slashes and `./` at its start and slashes at its end are ignored.
    init(_ text: String) {
        var pattern = Array(text.utf8)
        while pattern.last == UInt8(ascii: "/") { pattern.removeLast() }
        let isPath = pattern.contains(UInt8(ascii: "/"))
        while let count = ["./", "/"].first(where: { pattern.starts(with: $0.utf8) })?.utf8.count {
            pattern.removeFirst(count)
        }
        self.pattern = isPath ? pattern : Array("**/".utf8) + pattern
    }

    /// Returns whether the pattern applies to a path.
    func matches(_ path: [UInt8]) -> Bool {
        let path = path.starts(with: "./".utf8) ? path[2...] : path[...]
        let ends = path.indices.filter { path[$0] == UInt8(ascii: "/") && $0 > path.startIndex } + [path.endIndex]
        return ends.contains { Self.matches(pattern[...], path[..<$0]) }
    }

    private static func matches(_ pattern: ArraySlice<UInt8>, _ path: ArraySlice<UInt8>) -> Bool {
        // The states are the positions in the pattern that can follow the path's bytes so far.
        var states: Set<Int> = closure([pattern.startIndex], pattern, isStart: true)
        for byte in path {
            var next: Set<Int> = []
            for state in states where state < pattern.endIndex {
                switch pattern[state] {
                case UInt8(ascii: "*"):
                    let crossesDirectories = isDouble(pattern, state)
                    if crossesDirectories || byte != UInt8(ascii: "/") { next.insert(state) }
                    // "**/" also matches nothing, at the start of a name.
                    if crossesDirectories, byte == UInt8(ascii: "/"), state + 2 < pattern.endIndex,
                        pattern[state + 2] == UInt8(ascii: "/")
                    {
                        next.insert(state + 3)
                    }
                case UInt8(ascii: "?"): if byte != UInt8(ascii: "/") { next.insert(state + 1) }
                case byte: next.insert(state + 1)
                default: break
                }
            }
            states = closure(next, pattern, isStart: byte == UInt8(ascii: "/"))
            if states.isEmpty { return false }
        }
        return states.contains(pattern.endIndex)
    }

    private static func isDouble(_ pattern: ArraySlice<UInt8>, _ state: Int) -> Bool {
        state + 1 < pattern.endIndex && pattern[state + 1] == UInt8(ascii: "*")
    }

    /// Adds the positions that are reached without a byte.
    private static func closure(_ states: Set<Int>, _ pattern: ArraySlice<UInt8>, isStart: Bool) -> Set<Int> {
        var closed: Set<Int> = []
        var pending = Array(states)
        while let state = pending.popLast() {
            guard closed.insert(state).inserted, state < pattern.endIndex, pattern[state] == UInt8(ascii: "*") else {
                continue
            }
            let isDouble = isDouble(pattern, state)
            pending.append(state + (isDouble ? 2 : 1))
            if isDouble, isStart, state + 2 < pattern.endIndex, pattern[state + 2] == UInt8(ascii: "/") {
                pending.append(state + 3)
            }
        }
        return closed
    }
}
