/// A template, filled with a message's values or with samples, and checked as the notification that it becomes.
package struct TemplateCheck {
    private let platform: PushPlatform
    private let body: String
    private let headers: [String: String]
    /// The values of the message; `nil` for samples.
    private let values: TemplateValues?
    private let pushVariables: TemplateValues
    /// The headers of the message.
    private let messageHeaders: [String: String]
    /// The problems.
    package private(set) var problems: [PlatformProblem] = []
    /// The names of the properties that the template uses, in lowercase.
    package private(set) var names: Set<String> = []

    /// Checks a template.
    ///
    /// - Parameters:
    ///   - body: The template's body.
    ///   - headers: The template's headers.
    ///   - platform: The device's platform.
    ///   - values: The message's values; `nil` to fill the template with samples.
    ///   - messageHeaders: The message's headers for the platform.
    ///   - pushVariables: The device's values for names that the message lacks.
    init(
        _ body: String, headers: [String: String], on platform: PushPlatform, values: [String: String]?,
        messageHeaders: [String: String], pushVariables: [String: String]
    ) {
        (self.body, self.headers, self.platform) = (body, headers, platform)
        self.values = values.map { TemplateValues($0) }
        self.pushVariables = TemplateValues(pushVariables)
        self.messageHeaders = messageHeaders
        checkHeaders()
        let kind = MessageTemplate.Kind(platform, headers: headers, body: body)
        checkExpressions(kind)
        guard problems.allSatisfy({ $0.severity == .warning }) else { return }
        do {
            check(try MessageTemplate(body, kind))
        } catch {
            fail("", error.reason, "correct the template")
        }
    }

    // MARK: Expressions

    private mutating func checkHeaders() {
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { check(value, at: name) }
    }

    /// Checks the strings of the body that can be expressions.
    private mutating func checkExpressions(_ kind: MessageTemplate.Kind) {
        switch kind {
        case .json:
            guard let json = try? JSONValue(parsing: body.utf8) else { return }
            check(json, at: "")
        case .xml:
            guard let root = try? XMLReader.read(Array(body.utf8)) else { return }
            check(root, at: root.name)
        case .text: check(body, at: "")
        }
    }

    private mutating func check(_ json: JSONValue, at path: String) {
        switch json {
        case .string(let text): check(text, at: path)
        case .array(let values):
            for (index, value) in values.enumerated() { check(value, at: "\(path)[\(index)]") }
        case .object(let object):
            for member in object.members {
                let name = member.name.escapedForDisplay
                let path = path.isEmpty ? name : "\(path).\(name)"
                if member.name.isMixed {
                    warn(path, "the name of a member is not filled", "use $(…) only as a value")
                }
                check(member.value, at: path)
            }
        case .null, .bool, .number: break
        }
    }

    private mutating func check(_ element: XMLElement, at path: String) {
        for (name, value) in element.attributes.sorted(by: { $0.key < $1.key }) {
            check(value, at: "\(path).\(name.escapedForDisplay)")
        }
        if element.children.isEmpty { check(element.text, at: path) }
        for child in element.children { check(child, at: "\(path).\(child.name.escapedForDisplay)") }
    }

    /// Checks a value that can be an expression (Microsoft, "Templates": an expression is an entire value).
    private mutating func check(_ value: String, at path: String) {
        do {
            guard try TemplateExpression(value: value) == nil else { return }
            if value.isMixed {
                warn(path, "text and $(…) in one value arrive literally", "write \(value.asExpression)")
            } else if let name = value.bareName {
                warn(path, "$\(name) arrives literally", "write \(value.asExpression)")
            }
        } catch {
            let first = value.prefix(1)
            fail(
                path, "\(first) starts an expression, which is invalid: \(error.reason)", "write \(value.asExpression)")
        }
    }

    private mutating func fail(_ path: String, _ text: String, _ remedy: String) {
        add(.rejectedByHub, path, text, remedy)
    }

    private mutating func warn(_ path: String, _ text: String, _ remedy: String) { add(.ignored, path, text, remedy) }

    private mutating func add(
        _ effect: PlatformProblem.Effect, _ path: String, _ text: String, _ remedy: String
    ) {
        var added = PlatformProblems(platform)
        added.add(effect, path, text, remedy, .invalidTemplate)
        problems += added.all
    }

    // MARK: The filled template

    private mutating func check(_ parsed: MessageTemplate) {
        var expressions = parsed.parts.flatMap(\.properties)
        for value in headers.values {
            expressions += ((try? TemplateExpression(value: value)) ?? nil)?.properties ?? []
        }
        names = Set(expressions.map(\.name))
        let numbers = Set(expressions.filter { $0.function == .number }.map(\.name))
        func value(_ name: String) -> String? {
            guard let values else {
                return pushVariables[name] ?? (numbers.contains(name) ? "1" : String.templateSample)
            }
            return values[name] ?? pushVariables[name]
        }
        if values != nil {
            let missing = names.filter { value($0) == nil && !parsed.defaultedNames.contains($0) }
            let writtenNames = expressions.writtenNames
            for name in missing.sorted().map({ writtenNames[$0] ?? $0 }) {
                warn(name, "the message lacks the property, so its text is empty", "add a value for \(name)")
            }
        }
        guard let body = parsed.filled(value) else {
            add(
                .notShown, "", "the filled template has more than \(MessageTemplate.maximumByteCount) bytes",
                "shorten it")
            return
        }
        let filled = headers.mapValues { text in
            ((try? TemplateExpression(value: text)) ?? nil)?.text(value) ?? text
        }
        problems += platform.problems(body: Array(body.utf8), headers: filled.overriding(messageHeaders))
    }
}

extension [String: String] {
    /// Returns a template's headers with those of the message that the template does not have.
    ///
    /// It is an assumption that a template's own headers replace those of the message: Microsoft documents both, but not which
    /// of them wins.
    package func overriding(_ others: [String: String]) -> [String: String] {
        let names = Set(keys.map { $0.lowercased() })
        return merging(others.filter { !names.contains($0.key.lowercased()) }) { own, _ in own }
    }
}

extension TemplateExpression {
    /// The properties in the expression.
    var properties: [Property] {
        terms.compactMap { if case .property(let property) = $0 { property } else { nil } }
    }
}

extension String {
    /// Whether the text contains a reference to a property such as `$(name)`.
    fileprivate var isMixed: Bool {
        segments.contains { if case .reference(let text) = $0 { text.utf8.first == UInt8(ascii: "$") } else { false } }
    }

    /// The name in `$name`, if the text has one; `nil` otherwise.
    fileprivate var bareName: String? {
        var rest = unicodeScalars[...]
        while let dollar = rest.firstIndex(of: "$") {
            rest = rest[rest.index(after: dollar)...]
            let name = rest.prefix(while: \.isTemplateNameCharacter)
            if let first = name.first, first.properties.isAlphabetic { return String(name) }
        }
        return nil
    }

    /// A part of a string that mixes literals and references.
    private enum Segment {
        case literal(String)
        case reference(String)
    }

    /// The number of invalid references after which no more are searched, which limits the time.
    private static let maximumInvalidReferenceCount = 100

    private var segments: [Segment] {
        var segments: [Segment] = []
        var literal = ""
        var rest = unicodeScalars[...]
        var invalidCount = 0
        while let scalar = rest.first {
            let after = rest.index(after: rest.startIndex)
            if "$.%#".unicodeScalars.contains(scalar), rest[after...].first == "(",
                invalidCount < Self.maximumInvalidReferenceCount
            {
                if let end = rest.firstIndex(of: ")"), case let reference = String(rest[...end]),
                    (try? TemplateExpression(value: reference)) != nil
                {
                    if !literal.isEmpty { segments.append(.literal(literal)) }
                    literal = ""
                    segments.append(.reference(reference))
                    rest = rest[rest.index(after: end)...]
                    continue
                }
                invalidCount += 1
            }
            literal.unicodeScalars.append(scalar)
            rest = rest[after...]
        }
        return literal.isEmpty ? segments : segments + [.literal(literal)]
    }

    /// The expression that yields the text, with its references filled, such as `{'Hello, ' + $(name)}`.
    fileprivate var asExpression: String {
        // `$name` was probably meant as a reference.
        var text = self
        if !isMixed, let name = bareName, let range = text.firstRange(of: "$\(name)") {
            text.replaceSubrange(range, with: "$(\(name))")
        }
        let terms = text.segments.map { segment in
            switch segment {
            case .literal(let text): "'" + text.replacing("'", with: "''") + "'"
            case .reference(let text): text
            }
        }
        return terms.count == 1 && terms[0].utf8.first != UInt8(ascii: "'")
            ? terms[0] : "{" + terms.joined(separator: " + ") + "}"
    }
}
