// The Objective-C classes that values are bridged to.

@objc open class NSArray: NSObject {}
@objc open class NSData: NSObject, @unchecked Sendable {}
@objc open class NSDate: NSObject, @unchecked Sendable {}
@objc open class NSDictionary: NSObject {}
@objc open class NSNull: NSObject, @unchecked Sendable {}
@objc open class NSString: NSObject, @unchecked Sendable {}
@objc open class NSURL: NSObject, @unchecked Sendable {}

@objc open class NSNumber: NSObject, @unchecked Sendable {
    open var boolValue: Bool { fatalError() }
    open var decimalValue: Decimal { fatalError() }
    open var doubleValue: Double { fatalError() }
    open var intValue: Int { fatalError() }
}

@objc open class NSURLRequest: NSObject, @unchecked Sendable {
    public enum CachePolicy: UInt, @unchecked Sendable {
        case useProtocolCachePolicy = 0
        case reloadIgnoringLocalCacheData = 1
        case returnCacheDataElseLoad = 2
        case returnCacheDataDontLoad = 3
        case reloadIgnoringLocalAndRemoteCacheData = 4
        case reloadRevalidatingCacheData = 5
    }
}

@objc open class NSError: NSObject, Error, @unchecked Sendable {
    open var code: Int { fatalError() }
    open var domain: String { fatalError() }
    open var userInfo: [String: Any] { fatalError() }
}

public func _convertNSErrorToError(_ error: NSError?) -> any Error { fatalError() }
public func _convertErrorToNSError(_ error: any Error) -> NSError { fatalError() }

/// The requirements of a bridged value, which are the same for all.
public protocol Bridged: _ObjectiveCBridgeable {}

extension Bridged {
    public func _bridgeToObjectiveC() -> _ObjectiveCType { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) -> Bool {
        fatalError()
    }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType?) -> Self { fatalError() }
}

extension Array: Bridged, @retroactive _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSArray }
extension Bool: Bridged, @retroactive _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSNumber }
extension Data: Bridged { public typealias _ObjectiveCType = NSData }
extension Date: Bridged { public typealias _ObjectiveCType = NSDate }
extension Dictionary: Bridged, @retroactive _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSDictionary }
extension Double: Bridged, @retroactive _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSNumber }
extension Int: Bridged, @retroactive _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSNumber }
extension String: Bridged, @retroactive _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSString }
extension URL: Bridged { public typealias _ObjectiveCType = NSURL }
extension URLRequest: Bridged { public typealias _ObjectiveCType = NSURLRequest }
