import HubText

/// The versions of the service's interface.
enum APIVersion {
    /// Those that are documented, that Microsoft's clients say, or that were recorded.
    private static let known = [
        "2013-04", "2013-07", "2014-09", "2015-01", "2015-04", "2016-07", "2017-04", "2020-06",
    ]

    /// Makes sure that a request says one.
    static func check(_ query: QueryString) throws(ServiceRefusal) {
        guard let version = query["api-version"], !version.isEmpty else {
            throw .badRequest("The query has no api-version, such as api-version=2020-06")
        }
        guard known.contains(version) else {
            throw .badRequest("The query's api-version is none of \(known.joined(separator: ", "))")
        }
    }
}
