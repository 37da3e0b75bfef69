/// The members of a message for Firebase Cloud Messaging, HTTP v1 API.
///
/// Source: Google, discovery document of the Firebase Cloud Messaging API, `fcm:v1`.
enum FirebaseMessage {
    /// The revision of the discovery document. Google adds members over time.
    static let revision = "20261023"

    /// The type of a member's value (Protocol Buffers, "ProtoJSON Format").
    indirect enum ValueType: Sendable {
        case string, boolean, integer, number, duration, timestamp
        /// A duration of at most four weeks.
        case timeToLive
        /// A color in the form `#rrggbb`.
        case color
        /// An HTTPS URL.
        case link
        /// The address of devices, which the hub adds.
        case target
        /// An object of strings, some of whose names are reserved.
        case data
        /// A payload that Firebase forwards to Apple.
        case applePayload
        case enumeration([String])
        case object(Members)
        case array(of: ValueType)
        case map(of: ValueType)
        /// Any JSON value.
        case any
    }

    /// The members of an object, by each of their names: in lower camel case, and the original name in snake case.
    struct Members: Sendable {
        /// The names in lower camel case with their types.
        let types: [(name: String, type: ValueType)]
        private let typesByName: [String: (canonical: String, type: ValueType)]

        init(_ types: KeyValuePairs<String, ValueType>) { self.init(types.map { (name: $0.key, type: $0.value) }) }

        init(_ types: [(name: String, type: ValueType)]) {
            self.types = types
            var byName: [String: (String, ValueType)] = [:]
            for (name, type) in types {
                byName[name] = (name, type)
                byName[name.snakeCase] = (name, type)
            }
            typesByName = byName
        }

        /// The member with a name; `nil` if there is none.
        subscript(name: String) -> (canonical: String, type: ValueType)? { typesByName[name] }
    }

    static let request = Members(["message": .object(message), "validateOnly": .boolean])

    static let message = Members([
        "notification": .object(notification), "data": .data, "android": .object(android),
        "apns": .object(apns), "webpush": .object(webpush), "fcmOptions": .object(fcmOptions),
        "androidV2": .object(androidV2), "token": .target, "topic": .target, "condition": .target, "fid": .target,
        "name": .string,
    ])

    static let notification = Members(["title": .string, "body": .string, "image": .string])

    private static let fcmOptions = Members(["analyticsLabel": .string])

    private static let commonAndroid: [(name: String, type: ValueType)] = [
        ("bandwidthConstrainedOk", .boolean), ("collapseKey", .string), ("data", .data),
        ("directBootOk", .boolean), ("fcmOptions", .object(fcmOptions)), ("restrictedPackageName", .string),
        ("restrictedSatelliteOk", .boolean), ("ttl", .timeToLive),
    ]

    private static let android = Members(
        commonAndroid + [
            ("priority", .enumeration(["NORMAL", "HIGH"])), ("notification", .object(androidNotification)),
        ])

    private static let androidV2 = Members(
        commonAndroid + [
            ("backgroundSync", .object(Members([:]))),
            (
                "remoteNotification",
                .object(
                    Members([
                        "mutableContent": .boolean, "notification": .object(androidV2Notification),
                        "useAsV1DataMessage": .boolean,
                    ]))
            ),
        ])

    private static let commonAndroidNotification: [(name: String, type: ValueType)] = [
        ("title", .string), ("body", .string), ("icon", .string), ("color", .color), ("sound", .string),
        ("tag", .string), ("clickAction", .string), ("bodyLocKey", .string), ("bodyLocArgs", .array(of: .string)),
        ("titleLocKey", .string), ("titleLocArgs", .array(of: .string)), ("channelId", .string),
        ("ticker", .string), ("sticky", .boolean), ("eventTime", .timestamp), ("localOnly", .boolean),
        (
            "notificationPriority",
            .enumeration(
                ["UNSPECIFIED", "MIN", "LOW", "DEFAULT", "HIGH", "MAX"].map { "PRIORITY_" + $0 })
        ),
        ("defaultSound", .boolean), ("defaultVibrateTimings", .boolean), ("defaultLightSettings", .boolean),
        ("vibrateTimings", .array(of: .duration)),
        ("visibility", .enumeration(["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"])),
        ("notificationCount", .integer), ("lightSettings", .object(lightSettings)), ("image", .string),
    ]

    private static let androidNotification = Members(
        commonAndroidNotification + [
            ("bypassProxyNotification", .boolean),
            ("proxy", .enumeration(["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"])),
        ])

    private static let androidV2Notification = Members(commonAndroidNotification + [("id", .integer)])

    private static let lightSettings = Members([
        "color": .object(Members(["red": .number, "green": .number, "blue": .number, "alpha": .number])),
        "lightOnDuration": .duration, "lightOffDuration": .duration,
    ])

    private static let apns = Members([
        "headers": .map(of: .string), "payload": .applePayload, "liveActivityToken": .string,
        "fcmOptions": .object(Members(["analyticsLabel": .string, "image": .string])),
    ])

    private static let webpush = Members([
        "headers": .map(of: .string), "data": .data, "notification": .map(of: .any),
        "fcmOptions": .object(Members(["analyticsLabel": .string, "link": .link])),
    ])

    /// The paths of the objects that have a member, by its name in lower camel case: the shortest path first.
    ///
    /// `androidV2` is omitted, because its members are also those of `android`.
    private static let places: [String: [String]] = {
        var places: [String: [String]] = [:]
        var level: [(path: String, members: Members)] = [("message", message)]
        while !level.isEmpty {
            var next: [(path: String, members: Members)] = []
            for (path, members) in level {
                for (name, type) in members.types where name != "androidV2" {
                    places[name, default: []].append(path)
                    if case .object(let members) = type { next.append(("\(path).\(name)", members)) }
                }
            }
            level = next
        }
        return places
    }()

    /// Members of Firebase's legacy API and of Apple's payloads, with their path in a message.
    private static let foreign: [String: String] = [
        "timeToLive": "message.android.ttl", "androidChannelId": "message.android.notification.channelId",
        "contentAvailable": "message.apns.payload.aps.content-available",
        "mutableContent": "message.apns.payload.aps.mutable-content", "badge": "message.apns.payload.aps.badge",
        "content-available": "message.apns.payload.aps.content-available",
        "mutable-content": "message.apns.payload.aps.mutable-content",
        "thread-id": "message.apns.payload.aps.thread-id", "category": "message.apns.payload.aps.category",
        "interruption-level": "message.apns.payload.aps.interruption-level",
        "alert": "message.apns.payload.aps.alert", "aps": "message.apns.payload.aps", "dryRun": "validateOnly",
    ]

    /// Returns the path where a misplaced member belongs; `nil` if Firebase has no such member.
    ///
    /// - Parameter path: The path of the object that has the member. A place below it is preferred.
    static func place(of name: String, in path: String) -> String? {
        let canonical = name.lowerCamelCase
        if name.utf8.starts(with: "apns-".utf8) { return "message.apns.headers.\(name)" }
        if let foreign = foreign[canonical] { return foreign }
        // Names are case-sensitive. .NET serializers write an upper-case first letter.
        let corrected = name.prefix(1).lowercased() + name.dropFirst()
        if path.isEmpty, corrected == "message" { return corrected }
        guard let places = places[canonical] ?? places[corrected.lowerCamelCase] else { return nil }
        let place = places.first { $0 == path || $0.utf8.starts(with: "\(path).".utf8) } ?? places.first
        return place.map { "\($0).\(corrected)" }
    }
}

extension String {
    /// The name in snake case, as in a `.proto` file, of a name in lower camel case.
    fileprivate var snakeCase: String {
        unicodeScalars.reduce(into: "") { name, scalar in
            if ("A"..."Z").contains(scalar) {
                name += "_" + String(scalar).lowercased()
            } else {
                name.unicodeScalars.append(scalar)
            }
        }
    }

    /// The name in lower camel case of a name in snake case.
    fileprivate var lowerCamelCase: String {
        let words = split(separator: "_")
        return words.dropFirst().reduce(words.first.map { String($0) } ?? "") {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }
}
