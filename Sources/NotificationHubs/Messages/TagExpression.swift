/// A condition on a device's tags.
///
/// ```swift
/// let fans: TagExpression = "news" && !"sports"
/// let one = .tag(tag) || .user(userID)
/// let typed = try TagExpression(validating: "(a || b) && !c")
/// ```
///
/// `!` binds tighter than `&&`, and `&&` tighter than `||`. Expressions that differ only in spaces, redundant parentheses or
/// double negation are equal.
///
/// The operators do not throw. ``validate()`` and every send throw for an expression with too many tags, an empty list of tags
/// or an invalid tag.
public struct TagExpression: Hashable, Sendable {
    /// The largest number of tags that the service accepts in an expression with no operator other than `||`.
    package static let maximumTagCountOfAlternatives = 20
    /// The largest number of tags that the service accepts in any other expression.
    package static let maximumTagCount = 6
    /// The deepest nesting of parentheses and `!` that ``init(validating:)`` accepts.
    package static let maximumDepth = 32

    /// The syntax tree. Groups are flat, and a negation does not contain a negation.
    package indirect enum Node: Hashable, Sendable {
        case tag(NotificationHub.Tag)
        case installation(Installation.ID)
        case user(Installation.UserID)
        case not(Node)
        case all([Node])
        case any([Node])
    }

    /// The root of the tree. To bound memory, it is an empty group for more than ``maximumTagCountOfAlternatives`` tags.
    package let node: Node
    /// The number of tags, users and installations, including repetitions.
    public let tagCount: Int

    private init(_ node: Node, tagCount: Int) {
        self.node = tagCount > Self.maximumTagCountOfAlternatives ? .any([]) : node
        self.tagCount = tagCount
    }

    /// Returns an expression for devices with a tag.
    public static func tag(_ tag: NotificationHub.Tag) -> TagExpression { TagExpression(.tag(tag), tagCount: 1) }

    /// Returns an expression for the device of an installation: `$InstallationId:{…}`.
    public static func installation(_ id: Installation.ID) -> TagExpression {
        TagExpression(.installation(id), tagCount: 1)
    }

    /// Returns an expression for the devices of a user, by the user ID of their installations: `$UserId:{…}`.
    public static func user(_ id: Installation.UserID) -> TagExpression { TagExpression(.user(id), tagCount: 1) }

    /// Returns an expression for devices with any of the tags: at least one tag, at most 20.
    public static func any(of tags: some Collection<NotificationHub.Tag>) -> TagExpression {
        group(Node.any, tags)
    }

    /// Returns an expression for devices with all of the tags: at least one tag, at most 6.
    public static func all(of tags: some Collection<NotificationHub.Tag>) -> TagExpression {
        group(Node.all, tags)
    }

    private static func group(
        _ make: ([Node]) -> Node, _ tags: some Collection<NotificationHub.Tag>
    ) -> TagExpression {
        if tags.count == 1, let tag = tags.first { return .tag(tag) }
        return TagExpression(
            make(tags.prefix(maximumTagCountOfAlternatives).map(Node.tag)), tagCount: tags.count)
    }

    /// Returns an expression for devices that match both expressions.
    public static func && (left: TagExpression, right: TagExpression) -> TagExpression {
        TagExpression(.all(left.node.operands(ofAll: true) + right.node.operands(ofAll: true)), joining: left, right)
    }

    /// Returns an expression for devices that match at least one of the expressions.
    public static func || (left: TagExpression, right: TagExpression) -> TagExpression {
        TagExpression(.any(left.node.operands(ofAll: false) + right.node.operands(ofAll: false)), joining: left, right)
    }

    private init(_ node: Node, joining left: TagExpression, _ right: TagExpression) {
        self.init(node, tagCount: left.tagCount.addingReportingOverflow(right.tagCount).partialValue)
    }

    /// Returns an expression for devices that do not match the expression.
    public static prefix func ! (expression: TagExpression) -> TagExpression {
        let negation = if case .not(let inner) = expression.node { inner } else { Node.not(expression.node) }
        return TagExpression(negation, tagCount: expression.tagCount)
    }

    /// Checks that the service accepts the expression.
    ///
    /// - Throws: ``HubValidationError`` if it contains an invalid tag, an empty list of tags, or more tags than
    ///   20 (6 with an operator other than `||`).
    public func validate() throws(HubValidationError) {
        guard tagCount <= (node.hasOnlyAlternatives ? Self.maximumTagCountOfAlternatives : Self.maximumTagCount) else {
            throw Self.tooManyTags(tagCount)
        }
        try node.validate()
    }

    static func tooManyTags(_ count: Int, offset: Int? = nil) -> HubValidationError {
        HubValidationError(
            .tooManyTags,
            "\(count) tags in an expression (at most \(maximumTagCountOfAlternatives) joined only by ||, "
                + "else \(maximumTagCount))", offset: offset)
    }

    /// Evaluates the expression.
    ///
    /// - Parameter holds: A closure that returns whether the device has a tag, or belongs to an installation or a user.
    package func isTrue(_ holds: (Node) -> Bool) -> Bool { node.isTrue(holds) }
}

extension TagExpression.Node {
    /// Returns the operands of a group of the same kind; otherwise the node itself. An empty group is invalid and stays a node.
    fileprivate func operands(ofAll: Bool) -> [Self] {
        switch self {
        case .all(let nodes) where ofAll && !nodes.isEmpty: nodes
        case .any(let nodes) where !ofAll && !nodes.isEmpty: nodes
        default: [self]
        }
    }

    fileprivate var hasOnlyAlternatives: Bool {
        switch self {
        case .tag, .installation, .user: true
        case .any(let nodes): nodes.allSatisfy(\.hasOnlyAlternatives)
        case .all, .not: false
        }
    }

    fileprivate func validate() throws(HubValidationError) {
        switch self {
        case .tag(let tag): try tag.check()
        case .user(let id): try id.check()
        case .installation: break
        case .not(let node): try node.validate()
        case .all(let nodes), .any(let nodes):
            if nodes.isEmpty {
                throw HubValidationError(
                    .missingTags, "the list of tags must not be empty: use .everyone to send to every device")
            }
            for node in nodes { try node.validate() }
        }
    }

    fileprivate func isTrue(_ holds: (Self) -> Bool) -> Bool {
        switch self {
        case .tag, .installation, .user: holds(self)
        case .not(let node): !node.isTrue(holds)
        case .all(let nodes): nodes.allSatisfy { $0.isTrue(holds) }
        case .any(let nodes): nodes.contains { $0.isTrue(holds) }
        }
    }
}

extension TagExpression: CustomStringConvertible {
    /// The canonical text, as it is sent. For an invalid expression, the problem in angle brackets.
    public var description: String {
        do {
            try validate()
            return node.text
        } catch {
            return "<\(error)>"
        }
    }
}

extension TagExpression.Node {
    /// The text without redundant parentheses.
    package var text: String {
        switch self {
        case .tag(let tag): tag.rawValue
        case .installation(let id): "$InstallationId:{\(id.rawValue)}"
        case .user(let id): "$UserId:{\(id.rawValue)}"
        case .not(.all), .not(.any): "!(\(negated))"
        case .not: "!\(negated)"
        case .all(let nodes): nodes.map(\.factor).joined(separator: " && ")
        case .any(let nodes): nodes.map(\.text).joined(separator: " || ")
        }
    }

    private var negated: String { if case .not(let node) = self { node.text } else { text } }
    private var factor: String { if case .any = self { "(\(text))" } else { text } }
}

extension TagExpression: ExpressibleByStringLiteral {
    /// Creates an expression from a literal in source code. An invalid literal stops the program.
    public init(stringLiteral text: StaticString) {
        do {
            try self.init(validating: text.description)
        } catch {
            preconditionFailure("\"\(text)\": \(error)")
        }
    }
}
