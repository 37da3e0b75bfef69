import HubText
import Testing

@Suite struct DurationTests {
    @Test(arguments: [
        (Duration.zero, "0 seconds"), (.seconds(1), "1 second"), (.seconds(15), "15 seconds"),
        (.milliseconds(86), "0.086 seconds"),
        (.microseconds(85_912), "0.085 seconds"), (.milliseconds(2500), "2.5 seconds"), (.nanoseconds(7), "0 seconds"),
        (.milliseconds(-500), "-0.5 seconds"), (.milliseconds(-1500), "-1.5 seconds"), (.seconds(-3), "-3 seconds"),
    ])
    func `writes seconds with at most three decimals`(duration: Duration, text: String) {
        #expect(duration.secondsText == text)
    }
}
