import NotificationHubs

extension Control {
    /// Has a platform refuse a device: `{"hub": "push", "platform": "apns", "handle": "AB01"}`.
    func expire(_ bytes: [UInt8]) throws(ControlError) -> HubResponse {
        let body = try ControlBody(bytes)
        try body.allowOnly("hub", "platform", "handle")
        guard let platform = try body.text("platform").map(PushPlatform.init(rawValue:)), platform.row != nil
        else { throw ControlError(400, "platform is apns, fcmV1, wns or another one of installations") }
        guard let handle = try body.text("handle"), !handle.isEmpty else {
            throw ControlError(400, "handle is the device's: for a browser, its endpoint")
        }
        try hub(try body.text("hub")).expire(PushChannel(platform: platform, handle: handle))
        return .json([:])
    }
}
