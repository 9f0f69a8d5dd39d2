import PinningStudy
import Testing

@Suite struct StudyTextTests {
    @Test(arguments: [(0.0, "0"), (1, "1"), (41.46, "41.5"), (-0.04, "0"), (-2.25, "-2.3"), (301.04, "301")])
    func numbersHaveOnePlaceAtMost(value: Double, text: String) { #expect(StudyText.number(value) == text) }

    @Test(
        "The lower bound stands first, whichever it is",
        arguments: [
            (45.7, 41.5, "41.5–45.7"), (41.5, 45.7, "41.5–45.7"), (3, 3, "3"), (3.01, 3.04, "3"), (7, nil, "7–end"),
            (nil, 7, "7–end"), (nil, nil, "end"),
        ] as [(Double?, Double?, String)]
    )
    func spans(one: Double?, other: Double?, text: String) { #expect(StudyText.span(one, other) == text) }

    @Test func unitsAgreeWithTheirNumbers() {
        #expect([0.5, 1, 1.04, 2].map { StudyText.counted($0, "day") } == ["0.5 days", "1 day", "1 day", "2 days"])
    }
}
