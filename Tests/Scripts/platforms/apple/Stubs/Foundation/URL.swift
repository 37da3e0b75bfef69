public struct URL: Hashable, Sendable, Codable, CustomStringConvertible {
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public enum DirectoryHint: Sendable {
        case isDirectory, notDirectory, checkFileSystem, inferFromPath
    }

    public init?(string: String) {}
    public init(fileURLWithPath path: String) {}
    public init(fileURLWithPath path: String, isDirectory: Bool) {}
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public init(filePath path: String, directoryHint: DirectoryHint = .inferFromPath, relativeTo base: URL? = nil) {}

    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public func appending<Path: StringProtocol>(
        path: Path, directoryHint: DirectoryHint = .inferFromPath
    ) -> URL { fatalError() }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public func appending<Component: StringProtocol>(
        component: Component, directoryHint: DirectoryHint = .inferFromPath
    ) -> URL { fatalError() }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public func path(percentEncoded: Bool = true) -> String { fatalError() }

    public func appendingPathComponent(_ component: String) -> URL { fatalError() }
    public func deletingLastPathComponent() -> URL { fatalError() }
    public func deletingPathExtension() -> URL { fatalError() }
    public func resolvingSymlinksInPath() -> URL { fatalError() }
    public var absoluteString: String { fatalError() }
    public var fragment: String? { fatalError() }
    public var host: String? { fatalError() }
    public var lastPathComponent: String { fatalError() }
    public var path: String { fatalError() }
    public var pathExtension: String { fatalError() }
    public var port: Int? { fatalError() }
    public var query: String? { fatalError() }
    public var scheme: String? { fatalError() }
    public var standardized: URL { fatalError() }
    public var standardizedFileURL: URL { fatalError() }
    public var description: String { fatalError() }
}

public struct URLResourceKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

public struct URLRequest: Hashable, Sendable {
    public typealias CachePolicy = NSURLRequest.CachePolicy

    public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60.0) {}
    public var cachePolicy: CachePolicy {
        get { fatalError() }
        set {}
    }
    public var httpBody: Data? {
        get { fatalError() }
        set {}
    }
    public var httpMethod: String? {
        get { fatalError() }
        set {}
    }
    public var httpShouldHandleCookies: Bool {
        get { fatalError() }
        set {}
    }
    public var timeoutInterval: TimeInterval {
        get { fatalError() }
        set {}
    }
    public var url: URL? {
        get { fatalError() }
        set {}
    }
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
    public func value(forHTTPHeaderField field: String) -> String? { fatalError() }
}
