extension NotificationHub {
    /// The settings of a hub, which ``NotificationHubNamespace`` reads and writes.
    ///
    /// A description that the service returned also contains elements that this package does not model. They are preserved
    /// when the description is sent back.
    ///
    /// Source: the .NET SDK's `NotificationHubDescription.cs`.
    public struct Description: Hashable, Sendable {
        /// The hub's name.
        public let name: Name
        /// The description as the service returned it, with all changes.
        private(set) var xml: XMLElement

        /// Creates the description of a new hub. The service adds default access policies.
        public init(name: Name) {
            self.name = name
            xml = XMLElement(name: Self.elementName)
        }

        /// Creates a description from an entry.
        init(xml entry: XMLElement, at path: String = "entry") throws(XMLContentError) {
            var reader = ElementReader(entry, at: path)
            name = try reader.required("title").checked()
            xml = try Atom.description(in: entry, at: path)
            xml.children.removeAll(where: \.isNil)
            guard xml.localName == Self.elementName else {
                throw XMLContentError(
                    "\(path)/content/\(xml.localName.escapedForDisplay)", "is not \(Self.elementName)")
            }
            if let text = xml[Self.lifetime]?.content, Duration(xml: text) == nil {
                throw XMLContentError(
                    "\(path)/content/\(Self.elementName)/\(Self.lifetime)",
                    "is not a duration in days, hours, minutes and seconds")
            }
        }
    }
}

extension NotificationHub.Description {
    /// The policies whose keys grant access to the hub, except those of the namespace.
    public var accessPolicies: [NotificationHub.AccessPolicy] {
        get { xml[Self.rules]?.children.compactMap(NotificationHub.AccessPolicy.init(xml:)) ?? [] }
        set {
            var rules = xml[Self.rules] ?? XMLElement(name: Self.rules)
            // Other kinds of rules remain.
            rules.children.removeAll { NotificationHub.AccessPolicy(xml: $0) != nil }
            rules.children += newValue.map(\.xml)
            set(Self.rules, rules.children.isEmpty ? nil : rules)
        }
    }

    /// The time after which the hub deletes a registration that has not been renewed; `nil` for never, the default.
    ///
    /// The service requires at least one day. Fractions of a second are not sent.
    ///
    /// - Precondition: A new value is at least one second.
    public var registrationTimeToLive: Duration? {
        get { xml[Self.lifetime]?.content.flatMap(Duration.init(xml:)).flatMap { $0 < .forever ? $0 : nil } }
        set {
            precondition(
                newValue.map { $0 >= .seconds(1) } ?? true, "registrationTimeToLive must be at least one second")
            set(Self.lifetime, XMLElement(name: Self.lifetime, text: newValue?.xmlText ?? Duration.foreverText))
        }
    }

    /// Custom metadata, at most 1024 characters; `nil` for none.
    public var userMetadata: String? {
        get { xml["UserMetadata"].flatMap { $0.text.isEmpty ? nil : $0.text } }
        set { set("UserMetadata", newValue.map { XMLElement(name: "UserMetadata", text: $0) }) }
    }

    /// The credentials with which the hub sends to each platform. They are secrets.
    public var credentials: [PushPlatform: NotificationHub.PlatformCredential] {
        get {
            var credentials: [PushPlatform: NotificationHub.PlatformCredential] = [:]
            for element in xml.children where element.localName.hasSuffix(PushPlatform.credentialSuffix) {
                let name = String(element.localName.dropLast(PushPlatform.credentialSuffix.count))
                let platform = PushPlatform.all.first { $0 == PushPlatform(rawValue: name) }
                credentials[platform ?? PushPlatform(rawValue: name)] = .init(xml: element)
            }
            return credentials
        }
        set {
            let old = credentials
            for platform in Set(old.keys).union(newValue.keys).sorted(by: { $0.rawValue < $1.rawValue })
            where old[platform] != newValue[platform] {
                let name = platform.credentialElement
                set(name, newValue[platform].map { $0.xml(replacing: xml[name] ?? XMLElement(name: name)) })
            }
        }
    }

    /// The largest number of active devices of the day, or `nil` if the service omits it.
    public var dailyActiveDeviceCount: Int? { xml["DailyMaxActiveDevices"]?.number }

    /// The largest number of active registrations of the day, or `nil` if the service omits it.
    public var dailyActiveRegistrationCount: Int? { xml["DailyMaxActiveRegistrations"]?.number }

    /// The day's number of operations, or `nil` if the service omits it.
    public var dailyOperationCount: Int? { xml["DailyOperations"]?.number }

    /// The day's number of API calls, or `nil` if the service omits it.
    public var dailyAPICallCount: Int? { xml["DailyApiCalls"]?.number }

    /// The day's number of sent notifications, or `nil` if the service omits it.
    public var dailyPushCount: Int? { xml["DailyPushes"]?.number }

    private mutating func set(_ name: String, _ element: XMLElement?) {
        xml.setChild(name, element, order: Self.elementNames)
    }

    private static let elementName = "NotificationHubDescription"
    private static let lifetime = "RegistrationTtl"
    private static let rules = "AuthorizationRules"

    /// The names of the elements in the order of the service's data contract, which requests must keep.
    package static let elementNames = [
        "ApnsCredential", lifetime, "WnsCredential", rules, "GcmCredential", "MpnsCredential", "DailyOperations",
        "DailyMaxActiveDevices", "DailyMaxActiveRegistrations", "UserMetadata", "SmtpCredential", "DailyPushes",
        "DailyApiCalls", "AdmCredential", "NokiaXCredential", "BaiduCredential", "Status", "FcmV1Credential",
        "BrowserCredential",
    ]
}

extension NotificationHub.Description: CustomStringConvertible, CustomReflectable {
    /// The hub's name.
    public var description: String { "NotificationHub.Description(\(name))" }

    /// The settings, with the keys and credentials redacted. Elements that this package does not model are omitted.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "name": name, "accessPolicies": accessPolicies,
                "registrationTimeToLive": registrationTimeToLive as Any, "userMetadata": userMetadata as Any,
                "credentials": credentials,
            ])
    }
}

extension PushPlatform {
    fileprivate static let credentialSuffix = "Credential"

    /// The name of the element with the platform's credential, such as `ApnsCredential`.
    package var credentialElement: String {
        rawValue.prefix(1).uppercased() + String(rawValue.dropFirst()) + Self.credentialSuffix
    }
}

/// Durations in the format of XML Schema 2 §3.2.6.
extension Duration {
    /// The longest time of the service's platform, which means "never".
    fileprivate static let foreverText = "P10675199DT2H48M5.4775807S"
    fileprivate static let forever = Duration.seconds(10_675_199 * 86_400 as Int64)

    /// Parses days, hours, minutes and seconds. Years and months have no fixed length.
    fileprivate init?(xml text: String) {
        guard text.hasPrefix("P"), !text.hasSuffix("P"), !text.hasSuffix("T") else { return nil }
        let halves = text.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        var seconds = 0.0
        for (half, units) in zip(halves, [[("D", 86_400.0)], [("H", 3600), ("M", 60), ("S", 1)]]) {
            var rest = half
            for (unit, length) in units {
                let number = rest.prefix { "0123456789.".contains($0) }
                guard rest.dropFirst(number.count).hasPrefix(unit) else { continue }
                guard let value = Double(number), value <= 1e12 else { return nil }
                seconds += value * length
                rest = rest.dropFirst(number.count + 1)
            }
            guard rest.isEmpty else { return nil }
        }
        self = .seconds(seconds)
    }

    /// The days and seconds.
    fileprivate var xmlText: String {
        "P\(components.seconds / 86_400)DT\(components.seconds % 86_400)S"
    }
}
