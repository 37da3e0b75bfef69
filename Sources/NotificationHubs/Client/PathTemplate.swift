/// The path of an endpoint below the hub, with `{id}` in place of the argument.
package struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    /// The template itself, such as `/installations/{id}`.
    package let description: String
    private let segments: [String]

    private init(_ text: String) {
        description = text
        segments = text.split(separator: "/").map(String.init)
    }

    package static let installation = PathTemplate("/installations/{id}")
    package static let messages = PathTemplate("/messages")
    package static let message = PathTemplate("/messages/{id}")
    package static let batch = PathTemplate("/messages/$batch")
    package static let scheduledNotifications = PathTemplate("/schedulednotifications")
    package static let scheduledNotification = PathTemplate("/schedulednotifications/{id}")
    package static let registrationIDs = PathTemplate("/registrationids")
    package static let registrations = PathTemplate("/registrations")
    package static let registration = PathTemplate("/registrations/{id}")
    package static let registrationsOfTag = PathTemplate("/tags/{id}/registrations")
    package static let jobs = PathTemplate("/jobs")
    package static let job = PathTemplate("/jobs/{id}")
    package static let feedbackContainer = PathTemplate("/feedbackcontainer")

    private static let placeholder = "{id}"

    /// The path with an argument, percent-encoded by the caller, in place of the placeholder.
    func path(_ argument: String?) -> String {
        precondition(
            segments.contains(Self.placeholder) == (argument != nil), "\(self) needs one argument per placeholder")
        return "/" + segments.map { $0 == Self.placeholder ? argument ?? "" : $0 }.joined(separator: "/")
    }

    /// The arguments of a path, percent-encoded; `nil` for a path of another endpoint.
    ///
    /// - Parameters:
    ///   - path: the path's segments below the hub.
    ///   - isEqual: compares a segment with a word of the template.
    package func arguments(
        of path: [String], comparingBy isEqual: (_ segment: String, _ word: String) -> Bool
    ) -> [String]? {
        guard path.count == segments.count else { return nil }
        var arguments: [String] = []
        for (segment, word) in zip(path, segments) {
            if word == Self.placeholder {
                arguments.append(segment)
            } else if !isEqual(segment, word) {
                return nil
            }
        }
        return arguments
    }
}
