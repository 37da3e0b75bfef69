/// Sixteen values side by side on the stack, whatever their size: what is lent by `withUnsafeTemporaryAllocation` comes from
/// the heap beyond a kilobyte.
struct Sixteen<Element: BitwiseCopyable> {
    private typealias Four = (Element, Element, Element, Element)

    private var elements: (Four, Four, Four, Four)

    @inline(__always)
    init(repeating element: Element) {
        let four = (element, element, element, element)
        elements = (four, four, four, four)
    }

    /// Calls `body` with the first values.
    @inline(__always)
    mutating func withFirst(_ count: Int, _ body: (UnsafeMutableBufferPointer<Element>) -> Void) {
        precondition(count <= 16)
        unsafe withUnsafeMutableBytes(of: &elements) { bytes in
            unsafe body(UnsafeMutableBufferPointer(rebasing: bytes.assumingMemoryBound(to: Element.self)[..<count]))
        }
    }
}
