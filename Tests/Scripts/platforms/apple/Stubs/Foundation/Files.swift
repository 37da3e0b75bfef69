public struct FileAttributeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let groupOwnerAccountID = FileAttributeKey(rawValue: "NSFileGroupOwnerAccountID")
    public static let modificationDate = FileAttributeKey(rawValue: "NSFileModificationDate")
    public static let ownerAccountID = FileAttributeKey(rawValue: "NSFileOwnerAccountID")
    public static let posixPermissions = FileAttributeKey(rawValue: "NSFilePosixPermissions")
    public static let size = FileAttributeKey(rawValue: "NSFileSize")
    public static let systemFileNumber = FileAttributeKey(rawValue: "NSFileSystemFileNumber")
    public static let type = FileAttributeKey(rawValue: "NSFileType")
}

open class FileManager: NSObject, @unchecked Sendable {
    public struct DirectoryEnumerationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    open class DirectoryEnumerator: NSEnumerator {}

    open class var `default`: FileManager { fatalError() }
    open var currentDirectoryPath: String { fatalError() }
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    open var temporaryDirectory: URL { fatalError() }

    open func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { fatalError() }
    open func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {}
    open func contents(atPath path: String) -> Data? { fatalError() }
    open func contentsOfDirectory(atPath path: String) throws -> [String] { fatalError() }
    open func contentsOfDirectory(
        at url: URL, includingPropertiesForKeys keys: [URLResourceKey]?, options mask: DirectoryEnumerationOptions = []
    ) throws -> [URL] { fatalError() }
    open func subpathsOfDirectory(atPath path: String) throws -> [String] { fatalError() }
    open func enumerator(
        at url: URL, includingPropertiesForKeys keys: [URLResourceKey]?,
        options mask: DirectoryEnumerationOptions = [], errorHandler handler: ((URL, any Error) -> Bool)? = nil
    ) -> DirectoryEnumerator? { fatalError() }
    open func enumerator(atPath path: String) -> DirectoryEnumerator? { fatalError() }
    open func fileExists(atPath path: String) -> Bool { fatalError() }
    open func isExecutableFile(atPath path: String) -> Bool { fatalError() }
    open func isReadableFile(atPath path: String) -> Bool { fatalError() }
    open func isWritableFile(atPath path: String) -> Bool { fatalError() }

    open func createDirectory(
        atPath path: String, withIntermediateDirectories createIntermediates: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    open func createDirectory(
        at url: URL, withIntermediateDirectories createIntermediates: Bool, attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    @discardableResult
    open func createFile(
        atPath path: String, contents data: Data?, attributes: [FileAttributeKey: Any]? = nil
    ) -> Bool { fatalError() }
    open func createSymbolicLink(atPath path: String, withDestinationPath destination: String) throws {}
    open func createSymbolicLink(at url: URL, withDestinationURL destination: URL) throws {}
    open func destinationOfSymbolicLink(atPath path: String) throws -> String { fatalError() }
    open func copyItem(at source: URL, to destination: URL) throws {}
    open func copyItem(atPath source: String, toPath destination: String) throws {}
    open func linkItem(at source: URL, to destination: URL) throws {}
    open func linkItem(atPath source: String, toPath destination: String) throws {}
    open func moveItem(at source: URL, to destination: URL) throws {}
    open func moveItem(atPath source: String, toPath destination: String) throws {}
    open func removeItem(at url: URL) throws {}
    open func removeItem(atPath path: String) throws {}
}

open class NSEnumerator: NSObject {}

extension NSEnumerator: Sequence {
    public struct Iterator: IteratorProtocol {
        public mutating func next() -> Any? { fatalError() }
    }
    public func makeIterator() -> Iterator { fatalError() }
}

open class FileHandle: NSObject, @unchecked Sendable {
    open class var standardError: FileHandle { fatalError() }
    open class var standardInput: FileHandle { fatalError() }
    open class var standardOutput: FileHandle { fatalError() }
    public convenience init(forReadingFrom url: URL) throws { fatalError() }
    public convenience init(forUpdating url: URL) throws { fatalError() }
    public convenience init(forWritingTo url: URL) throws { fatalError() }
    open var availableData: Data { fatalError() }
    open var fileDescriptor: Int32 { fatalError() }
    open func write(_ data: Data) {}
    @available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
    open func close() throws {}
    @available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
    open func truncate(atOffset offset: UInt64) throws {}
    @available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
    open func seek(toOffset offset: UInt64) throws {}
    @available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, visionOS 1.0, *)
    public func read(upToCount count: Int) throws -> Data? { fatalError() }
    @available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, visionOS 1.0, *)
    public func readToEnd() throws -> Data? { fatalError() }
    @available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, visionOS 1.0, *)
    @discardableResult
    public func seekToEnd() throws -> UInt64 { fatalError() }
    @available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, visionOS 1.0, *)
    public func write<Bytes: DataProtocol>(contentsOf data: Bytes) throws {}
}

open class Pipe: NSObject, @unchecked Sendable {
    open var fileHandleForReading: FileHandle { fatalError() }
    open var fileHandleForWriting: FileHandle { fatalError() }
}

public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}
extension Data: DataProtocol {}
extension Array: DataProtocol where Element == UInt8 {}

open class Bundle: NSObject, @unchecked Sendable {
    open class var allBundles: [Bundle] { fatalError() }
    open class var main: Bundle { fatalError() }
    open var bundlePath: String { fatalError() }
    open var bundleURL: URL { fatalError() }
}

open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { fatalError() }
    open var activeProcessorCount: Int { fatalError() }
    open var environment: [String: String] { fatalError() }
    open var processIdentifier: Int32 { fatalError() }
}

open class Thread: NSObject, @unchecked Sendable {
    open class var isMainThread: Bool { fatalError() }
    open class func sleep(forTimeInterval interval: TimeInterval) {}
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    public convenience init(block: @escaping @Sendable () -> Void) { fatalError() }
    open var name: String? {
        get { fatalError() }
        set {}
    }
    open func start() {}
}
