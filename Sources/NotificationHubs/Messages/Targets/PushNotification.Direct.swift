extension PushNotification {
    /// One device, by the handle that its platform gave to it; the hub need not know it.
    public struct Direct: Hashable, Sendable {
        let handle: DeviceHandle

        /// The device of a handle, which has to be of the notification's platform.
        public static func device(_ handle: DeviceHandle) -> Direct { Direct(handle: handle) }

        /// What the target adds to a request.
        ///
        /// - Throws: ``PushNotification/Invalid`` if the notification is of another platform.
        func headers(for notification: PushNotification) throws(Invalid) -> HubHeaders {
            try handle.check(for: notification)
            var headers: HubHeaders = ["ServiceBusNotification-DeviceHandle": handle.text]
            if let keys = handle.browserKeys {
                headers["P256DH"] = keys.p256dh
                headers["Auth"] = keys.auth
            }
            return headers
        }
    }
}
