import NotificationHubs
import Testing

@Suite struct HubValidationErrorTests {
    @Test(arguments: [
        (HubValidationError.Code.invalidHubName, "invalidHubName"), (.invalidID, "invalidID"),
        (.invalidTag, "invalidTag"), (.invalidTagExpression, "invalidTagExpression"), (.missingTags, "missingTags"),
        (.tooManyTags, "tooManyTags"), (.invalidTemplate, "invalidTemplate"),
        (.invalidSecondaryTile, "invalidSecondaryTile"), (.invalidPlatform, "invalidPlatform"),
        (.platformMismatch, "platformMismatch"), (.invalidPushChannel, "invalidPushChannel"),
        (.missingDevices, "missingDevices"), (.invalidHeader, "invalidHeader"), (.invalidPayload, "invalidPayload"),
        (.payloadTooLarge, "payloadTooLarge"), (.invalidDate, "invalidDate"), (.invalidEntityTag, "invalidEntityTag"),
        (.invalidContinuationToken, "invalidContinuationToken"), (.invalidURL, "invalidURL"),
        (.invalidJSON, "invalidJSON"), (.invalidCharacter, "invalidCharacter"),
    ])
    func `has a stable name for each code`(code: HubValidationError.Code, name: String) {
        #expect(code.rawValue == name)
        #expect("\(code)" == name)
    }
}
