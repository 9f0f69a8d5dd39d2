import PinningStudy
import Testing

@Suite struct ScaleTests {
    @Test func logarithmsPutDecadesAtEqualDistances() {
        let scale = Scale(kind: .logarithmic, values: 1...1000, from: 10, to: 40)
        #expect([1, 10, 100, 1000].map { SVG.number(scale($0)) } == ["10", "20", "30", "40"])
    }

    @Test func squareRootsPutAQuarterInTheMiddle() {
        let scale = Scale(kind: .squareRoot, values: 0...100, from: 0, to: 8)
        #expect(scale(25) == 4)
    }

    @Test func whatLiesOutsideIsPutAtTheEnd() {
        // From the bottom up, as a picture's y axis goes.
        let scale = Scale(kind: .linear, values: 0...1, from: 100, to: 20)
        #expect(scale(-1) == 100 && scale(0.5) == 60 && scale(7) == 20)
    }

    @Test func labelsKeepTheirDistance() {
        let scale = Scale(kind: .linear, values: 0...100, from: 200, to: 0)
        #expect(scale.spaced([0, 4, 5, 9, 50, 52, 100], gap: 10) == [0, 5, 50, 100])
    }

    @Test func anEmptyRangeHasOnePlace() {
        #expect(Scale(kind: .linear, values: 3...3, from: 5, to: 9)(3) == 5)
    }
}
