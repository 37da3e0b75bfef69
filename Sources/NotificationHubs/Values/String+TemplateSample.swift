extension String {
    /// A value for a property whose value is not known. Rules about a string's content accept each string that contains it.
    static let templateSample = "\u{e000}"

    /// Whether the text contains a sample.
    var isTemplateSample: Bool { utf8.contains(0xee) && unicodeScalars.contains("\u{e000}") }
}
