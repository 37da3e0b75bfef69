import HubCommandLine
import NotificationHubs

extension [PlatformProblem] {
    /// The number of problems that a tool prints. A body of 64 KB can have thousands.
    private static let maximumReportedCount = 20

    /// Prints the problems to standard error.
    ///
    /// - Parameter subject: What has the problems, such as a template; `nil` for the message.
    func report(_ subject: String? = nil) {
        let start = "nhub: warning: " + (subject.map { "\($0): " } ?? "")
        for problem in prefix(Self.maximumReportedCount) { Console.error("\(start)\(problem.summary)") }
        if count > Self.maximumReportedCount {
            Console.error("\(start)\(count - Self.maximumReportedCount) more problems")
        }
    }

    /// The problems as JSON objects.
    var objects: [JSONOutput] {
        map { problem in
            var object = JSONOutput()
            object.add("severity", problem.severity.rawValue)
            object.add("platform", problem.platform.format)
            object.add("path", problem.path)
            object.add("message", problem.text)
            object.add("remedy", problem.remedy)
            return object
        }
    }
}
