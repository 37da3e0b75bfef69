import HubText
import Testing

@Suite struct QueryStringTests {
    @Test(arguments: [
        ("a=1&b=2", "b", "2"), ("A=1", "a", "1"), ("%24top=5", "$top", "5"), ("a", "a", ""), ("a=", "a", ""),
        ("a=b=c", "a", "b=c"), ("a=1&a=2", "a", "1"), ("a=x+y%20z", "a", "x y z"), ("a=%2541", "a", "%41"),
        ("&&a=1&", "a", "1"), ("a=%zz", "a", "%zz"), ("\u{212A}=1", "\u{212A}", "1"),
    ])
    func `decodes the first field with a name, ignoring case`(query: String, name: String, value: String) {
        #expect(QueryString(query)[name] == value)
    }

    @Test(arguments: [("", "a"), ("b=1", "a"), ("aa=1", "a"), ("\u{212A}=1", "k")])
    func `returns nil for a missing name`(query: String, name: String) {
        #expect(QueryString(query)[name] == nil)
    }

    @Test func `keeps raw values and distinguishes an empty value from a missing one`() {
        let fields = QueryString("a=%41&b=&c").fields
        #expect(fields.map(\.rawValue) == ["%41", "", nil])
        #expect(fields.map(\.value) == ["A", "", ""])
    }

    @Test(arguments: [
        ("a=1", true), ("", true), ("%C3%A9=%C3%A9", true), ("a=%", false), ("%4=1", false), ("a=%C3", false),
        ("%FF=1", false),
    ])
    func `is well-formed with complete escapes and valid UTF-8`(query: String, isWellFormed: Bool) {
        #expect(QueryString(query).isWellFormed == isWellFormed)
    }

    @Test(arguments: [("a=1&b=2", nil), ("a=1&A=2", "a"), ("%61=1&a=2", "a"), ("b&a&b&a", "b")])
    func `reports the first duplicate name`(query: String, name: String?) {
        #expect(QueryString(query).duplicateName == name)
    }
}
