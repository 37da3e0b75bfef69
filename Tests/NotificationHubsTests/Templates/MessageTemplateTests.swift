@testable import NotificationHubs
import Testing

@Suite struct MessageTemplateTests {
    static let values = TemplateValues([
        "name": "Zoë & <Co>", "count": "40", "text": "a\"\\\n\u{1}/é", "long": "This is the title line", "zero": "007",
        "MiXed": "mixed", "empty": "", "face": "👩‍🚀x", "end": "a]]>b]]", "joined": "]\u{0}]>",
    ])

    @Test(arguments: [
        ("$(name)", "Zoë & <Co>"), ("$(NAME)", "Zoë & <Co>"), ("$(mixed)", "mixed"), ("$( count )", "40"),
        ("$(absent)", ""), ("$(absent:{a default})", "a default"), ("$(count:{x})", "40"), ("$(empty:{x})", ""),
        (#"$(absent:{a\}b\\c),d})"#, #"a}b\c),d"#), ("$(absent:{abcdef},3)", "abc"),
        ("$(long,7)", "This is"), ("$(long, 0)", ""), ("$(long,100)", "This is the title line"),
        (".(long, 20)", "This is the title..."), (".(long,22)", "This is the title line"), (".(long,2)", ".."),
        (".(absent:{abcdef},5)", "ab..."), ("$(face,3)", "👩\u{200d}"), ("$(face,1)", ""),
        ("%(name)", "Zo%C3%AB%20%26%20%3CCo%3E"), ("%(absent:{a b})", "a%20b"),
        ("{'Hi, ' + $(name) + \"!\"}", "Hi, Zoë & <Co>!"), ("{ $(count)+$(count) }", "4040"), ("{'it''s'}", "it's"),
        ("{\"say \"\"x\"\"\"}", "say \"x\""), ("$(count) + ' of ' + $(count)", "40 of 40"), ("#(name)", "Zoë & <Co>"),
        ("{.(long,7) + %(name)}", "This...Zo%C3%AB%20%26%20%3CCo%3E"),
    ])
    func `evaluates expressions`(expression: String, text: String) throws {
        let parsed = try #require(try TemplateExpression(value: expression))
        #expect(parsed.text { Self.values[$0] }.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(arguments: [
        (#"["$(long)","$(long)"]"#, 32_000, true), (#"["$(long)","$(long)"]"#, 33_000, false),
        (#"["{$(long)+$(long)}"]"#, 32_000, true), (#"["{$(long)+$(long)}"]"#, 33_000, false),
    ])
    func `limits a filled template to 64 KB`(array: String, count: Int, isFilled: Bool) throws {
        let template = try MessageTemplate("{\"a\":\(array)}")
        let value = String(repeating: "a", count: count)
        #expect((template.filled { _ in value } != nil) == isFilled)
        // Evaluation stops early instead of building the whole text first.
        let expression = try #require(
            try TemplateExpression(value: "{" + repeatElement("$(a)", count: 100).joined(separator: "+") + "}"))
        #expect(expression.text { _ in value }.utf8.count <= 3 * count)
    }

    @Test(arguments: ["", " ", "text", "Hello $(name)", " $(name)", "a.b", "100%", "a{b}"])
    func `treats a value that does not start like an expression as a literal`(value: String) throws {
        #expect(try TemplateExpression(value: value) == nil)
    }

    @Test(arguments: [
        "$", "$(", "$(x", "$()", "$(a b)", "$(a-b)", "$x", "$body", "$(x),$(y)", "$(x)!", "$(x) $(y)", "$(x,)",
        "$(x,-1)",
        "$(x,y)", "$(x:y)", "$(x:{y)", ".(x)", "%(x,5)", "#(x,5)", "{}", "{", "{$(x)", "{'x}", "{$(x) + }", "{+ 'x'}",
        "{#(x) + 'y'}", "{x}", ".5", "#1", "%d", "{ 'a' 'b' }", "$(" + String(repeating: "x", count: 121) + ")",
    ])
    func `rejects an invalid expression`(value: String) {
        #expect(throws: TemplateExpression.ParseError.self) { try TemplateExpression(value: value) }
    }

    @Test(arguments: [
        (#"{"aps":{"alert":"$(text)"}}"#, #"{"aps":{"alert":"a\"\\\n\u0001/é"}}"#),
        (##"{ "badge" : "#(count)", "b":["#(zero)","#(name)"] }"##, #"{ "badge" : 40, "b":["007","Zoë & <Co>"] }"#),
        (##"{"badge":"{#(count)}"}"##, #"{"badge":"40"}"#), (##"{"n":"#(absent)"}"##, #"{"n":""}"#),
        (#"{"$(count)":"x $(count)"}"#, #"{"$(count)":"x $(count)"}"#), (#"{"a":"\u0024(count)"}"#, #"{"a":"40"}"#),
        (#"{"a":"{'\"' + $(count)}"}"#, #"{"a":"\"40"}"#),
        (#"{"b":1,"a":"$(count)","c":null}"#, #"{"b":1,"a":"40","c":null}"#),
    ])
    func `fills only the string values of JSON`(body: String, filled: String) throws {
        #expect(try MessageTemplate(body).filled { Self.values[$0] } == filled)
    }

    @Test(arguments: [
        (
            "<toast><visual id='$(count)'><text id=\"1\">$(name)</text></visual></toast>",
            "<toast><visual id='40'><text id=\"1\">Zoë &amp; &lt;Co&gt;</text></visual></toast>"
        ),
        (
            "<?xml version=\"1.0\"?><a><!-- $(name) -->{'&lt;' + $(count)}</a>",
            "<?xml version=\"1.0\"?><a><!-- $(name) -->&lt;40</a>"
        ),
        ("<a b=\"#(count)\">x $(count)<![CDATA[$(count)]]></a>", "<a b=\"40\">x $(count)<![CDATA[40]]></a>"),
        ("<a><![CDATA[{'<b>' + $(name)}]]><c/></a>", "<a><![CDATA[<b>Zoë & <Co>]]><c/></a>"),
        ("<a><![CDATA[$(end)]]></a>", "<a><![CDATA[a]]]><![CDATA[]>b]]]]></a>"),
        ("<a><![CDATA[$(joined)]]></a>", "<a><![CDATA[]]]><![CDATA[]>]]></a>"),
        ("<a><![CDATA[$(text)]]></a>", "<a><![CDATA[a\"\\\n/é]]></a>"),
        ("<a><![CDATA[x $(count)]]><![CDATA[]]></a>", "<a><![CDATA[x $(count)]]><![CDATA[]]></a>"),
        ("<a b=\"$(text)\"/>", "<a b=\"a&quot;\\&#10;/é\"/>"),
    ])
    func `fills the elements, attributes and CDATA sections of XML`(body: String, filled: String) throws {
        #expect(try MessageTemplate(body, .xml).filled { Self.values[$0] } == filled)
    }

    @Test(arguments: [
        "]]>", "]]]>>", "]]>]]>", "]]>\u{338}", "a]]", "]", ">", "]]", "<![CDATA[", "&amp;", "a\r\n]]\r>",
    ])
    func `escapes a value that contains the end of a CDATA section`(value: String) throws {
        let filled = try #require(try MessageTemplate("<a><![CDATA[$(x)]]></a>", .xml).filled { _ in value })
        #expect(try XMLReader.read(Array(filled.utf8)).text.utf8.elementsEqual(value.utf8))
    }

    @Test func `rejects an invalid expression in a CDATA section`() {
        #expect(throws: TemplateExpression.ParseError.self) { try MessageTemplate("<a><![CDATA[$(x]]></a>", .xml) }
    }

    @Test(arguments: [
        "", "text", "[]", #""$(x)""#, #"{"a":"$(x)""#, #"{"a":"$(x"}"#, #"{"a":"$(x)!"}"#, #"{"a":{"b":".(x)"}}"#,
    ])
    func `rejects a body that is not a JSON object or contains an invalid expression`(body: String) {
        #expect(throws: TemplateExpression.ParseError.self) { try MessageTemplate(body) }
    }

    @Test(arguments: [
        ("0", true), ("-1.5e+10", true), ("10", true), ("1E5", true), ("0.5", true), ("", false), ("01", false),
        ("-0", false),
        ("1.", false), (".5", false), ("+1", false), ("1e", false), ("-", false), ("1 ", false), ("NaN", false),
    ])
    func `recognizes numbers by the documented rule`(text: String, isNumber: Bool) {
        #expect(TemplateExpression.isNumber(text) == isNumber)
    }

    @Test func `fills a raw notification whose body is an expression`() throws {
        #expect(try MessageTemplate("{'<' + $(count)}", .text).filled { Self.values[$0] } == "<40")
    }
}
