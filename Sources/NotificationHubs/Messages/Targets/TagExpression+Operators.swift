/// What the operators of ``TagExpression`` take besides expressions: tags. Nothing else is meant to conform.
public protocol TagExpressionOperand {
    /// The expression that names this alone.
    var expression: TagExpression { get }
}

extension NotificationHub.Tag: TagExpressionOperand {
    /// Devices that have the tag.
    public var expression: TagExpression { TagExpression(self) }
}

extension TagExpression {
    /// Devices that both expressions are true of.
    public static func && (left: TagExpression, right: TagExpression) -> TagExpression {
        joined(left, .conjunction, right)
    }

    /// Devices that one of the expressions is true of, or both.
    public static func || (left: TagExpression, right: TagExpression) -> TagExpression {
        joined(left, .alternatives, right)
    }

    /// Devices that the expression is not true of.
    public static prefix func ! (expression: TagExpression) -> TagExpression {
        expression.negation
    }
}

// Shaped so that a literal is always an expression, and no use of an operator is ambiguous.
extension TagExpressionOperand {
    /// Devices that have the tag, and that the expression is true of.
    public static func && (left: Self, right: TagExpression) -> TagExpression { left.expression && right }

    /// Devices that have the tag, and that the expression is true of.
    public static func && (left: TagExpression, right: Self) -> TagExpression { left && right.expression }

    /// Devices that have both tags.
    public static func && (left: Self, right: some TagExpressionOperand) -> TagExpression {
        left.expression && right.expression
    }

    /// Devices that have the tag, or that the expression is true of.
    public static func || (left: Self, right: TagExpression) -> TagExpression { left.expression || right }

    /// Devices that have the tag, or that the expression is true of.
    public static func || (left: TagExpression, right: Self) -> TagExpression { left || right.expression }

    /// Devices that have one of the tags, or both.
    public static func || (left: Self, right: some TagExpressionOperand) -> TagExpression {
        left.expression || right.expression
    }

    /// Devices that do not have the tag.
    public static prefix func ! (tag: Self) -> TagExpression { !tag.expression }
}

extension TagExpression: ExpressibleByStringLiteral {
    /// An expression written in the program's source. One that is not valid is a programmer's error, and stops the program.
    public init(stringLiteral text: StaticString) {
        do {
            try self.init(validating: text.description)
        } catch {
            preconditionFailure("\"\(text)\" is no tag expression: \(error)")
        }
    }
}
