/// What a device's tags must be like for a message to reach it.
///
/// ```swift
/// let fans: TagExpression = "news" && !"sports"                     // literals are parsed when the program runs
/// let one = TagExpression(tag) || .user(userID)                     // tags, users and installations are checked values
/// let typed = try TagExpression(validating: "(a || b) && !c")       // text that the program did not choose
/// ```
///
/// `!` binds tighter than `&&`, and `&&` tighter than `||`. Expressions that differ in nothing but spaces, needless
/// parentheses or double negation are equal, and printed alike; what is printed can be parsed again.
///
/// Operators cannot throw: an expression of too many tags, or with a tag that is none, is refused when it is checked by
/// ``validate()``, as every send does.
public struct TagExpression: Hashable, Sendable {
    /// How many tags the service takes if nothing but `||` joins them.
    public static let maximumTagCountOfAlternatives = 20
    /// How many tags the service takes in any other expression.
    public static let maximumTagCount = 6
    /// How deep parentheses and `!` may be nested in a text that is parsed.
    public static let maximumDepth = 32

    /// What an expression does last.
    enum Root: Hashable, Sendable {
        case single
        case negation
        case conjunction
        case alternatives
    }

    /// The canonical text; empty where there is a problem. All that is combined is made of it, so that nothing is nested.
    let text: String
    let root: Root
    /// What a negation negates.
    private let negated: Root
    /// How many tags, users and installations it names, repetitions included.
    public let tagCount: Int
    /// Why it cannot be sent, whatever it is combined with.
    private let problem: PushNotification.Invalid?

    private init(
        text: String, root: Root, negated: Root = .single, tagCount: Int, problem: PushNotification.Invalid? = nil
    ) {
        // No expression of more tags is of use, so none is built, and none costs more than it weighs.
        let problem = problem ?? (tagCount > Self.maximumTagCountOfAlternatives ? Self.tooManyTags(tagCount) : nil)
        self.text = problem == nil ? text : ""
        self.root = problem == nil ? root : .single
        self.negated = problem == nil ? negated : .single
        self.tagCount = tagCount
        self.problem = problem
    }

    /// An expression that names one thing, or is refused for a problem.
    init(single text: String, problem: PushNotification.Invalid? = nil) {
        self.init(text: text, root: .single, tagCount: 1, problem: problem)
    }

    /// Makes sure that the service takes the expression.
    ///
    /// - Throws: ``PushNotification/Invalid`` if there are more tags than ``maximumTagCountOfAlternatives`` or, where
    ///   anything but `||` is used, than ``maximumTagCount``; if there is none; if one is no tag.
    public func validate() throws(PushNotification.Invalid) {
        if let problem { throw problem }
        guard hasOnlyAlternatives || tagCount <= Self.maximumTagCount else { throw Self.tooManyTags(tagCount) }
    }

    /// Whether nothing but `||` is in it: no tag holds the characters of the other operators.
    var hasOnlyAlternatives: Bool {
        !text.utf8.contains { $0 == UInt8(ascii: "!") || $0 == UInt8(ascii: "&") }
    }

    static func tooManyTags(_ count: Int) -> PushNotification.Invalid {
        PushNotification.Invalid(
            .tooManyTags(count),
            "\(count) tags are too many: an expression has \(maximumTagCountOfAlternatives) at most if only || joins them, "
                + "else \(maximumTagCount)")
    }
}

extension TagExpression {
    /// Joins two expressions.
    static func joined(_ left: TagExpression, _ root: Root, _ right: TagExpression) -> TagExpression {
        let isConjunction = root == .conjunction
        let `operator` = isConjunction ? " && " : " || "
        func operand(_ expression: TagExpression) -> String {
            isConjunction && expression.root == .alternatives ? "(\(expression.text))" : expression.text
        }
        return TagExpression(
            text: operand(left) + `operator` + operand(right), root: root,
            tagCount: left.tagCount.addingReportingOverflow(right.tagCount).partialValue,
            problem: left.problem ?? right.problem)
    }

    /// The opposite; of an opposite, what it is the opposite of.
    var negation: TagExpression {
        switch root {
        case .negation:
            let inner = text.dropFirst()
            return TagExpression(
                text: String(negated == .single ? inner : inner.dropFirst().dropLast()), root: negated,
                tagCount: tagCount, problem: problem)
        case .single:
            return TagExpression(
                text: "!" + text, root: .negation, tagCount: tagCount, problem: problem)
        case .conjunction, .alternatives:
            return TagExpression(
                text: "!(\(text))", root: .negation, negated: root, tagCount: tagCount, problem: problem)
        }
    }
}

extension TagExpression: CustomStringConvertible {
    /// The canonical text, as it is sent; a remark in angle brackets, which is no expression, for what cannot be sent.
    public var description: String {
        problem.map { "<\($0)>" } ?? text
    }
}
