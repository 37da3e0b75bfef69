extension String {
    /// Returns the string padded on the left with spaces to a column width.
    package func padded(left width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    /// Returns the string padded on the right with spaces to a column width.
    package func padded(right width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
