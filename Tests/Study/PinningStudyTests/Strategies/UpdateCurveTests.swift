import PinningStudy
import Testing

@Suite struct UpdateCurveTests {
    @Test func halfOfTheRestAfterEveryHalfLife() {
        let curve = UpdateCurve.exponential(halfLifeDays: 10)
        #expect([-1.0, 0, 10, 20].map { curve.share(afterDays: $0) } == [0, 0, 0.5, 0.75])
    }

    @Test func straightLinesBetweenPoints() throws {
        let curve = try UpdateCurve(csv: "# days,share\n0,0.2\n\n 10 , 0.4 \n20,0.9\n")
        #expect(
            [0.0, 5, 10, 15, 20, 500].map { (curve.share(afterDays: $0) * 1000).rounded() } == [
                0, 300, 400, 650, 900, 900,
            ]
        )
    }

    @Test(
        "A malformed curve is an error with its line",
        arguments: [
            ("", UpdateCurveError.noPoint), ("1", .notAPoint(line: 1)), ("1,2", .notAPoint(line: 1)),
            ("1,0.5\nx,1", .notAPoint(line: 2)), ("1,0.5\n1,0.6", .goesBack(line: 2)),
            ("1,0.5\n2,0.4", .goesBack(line: 2)),
            ("nan,0.5", .notAPoint(line: 1)), ("-1,0.5", .notAPoint(line: 1)),
        ]
    )
    func malformed(text: String, error: UpdateCurveError) {
        #expect(throws: error) { try UpdateCurve(csv: text) }
    }
}
