import NotificationHubs

/// What apps call their platforms, in any case.
enum PlatformWord {
    /// The platform of a word, if it is one.
    ///
    /// `fcm` and `gcm` are Firebase's HTTP v1 interface: Google has switched the older ones off, the devices' tokens are the
    /// same, and apps that were written before go on saying so.
    static func platform(_ word: String) -> Platform? {
        let word = Platform(rawValue: word)
        if word == .gcm || word == Platform(rawValue: "fcm") { return .fcmV1 }
        return formats.first { $0.platform == word }?.platform
    }

    /// What notifications to a platform's devices are called.
    static func format(_ platform: Platform) -> PushNotification.Format? {
        formats.first { $0.platform == platform }?.format
    }

    private static let formats: [(platform: Platform, format: PushNotification.Format)] = [
        (.apns, .apple), (.fcmV1, .fcmV1), (.wns, .windows), (.mpns, .windowsPhone), (.adm, .adm), (.baidu, .baidu),
        (.browser, .browser), (.xiaomi, .xiaomi),
    ]
}
