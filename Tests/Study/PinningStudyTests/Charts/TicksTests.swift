import PinningStudy
import Testing

@Suite struct TicksTests {
    @Test(
        "Whole numbers in round steps, the last one not below the value",
        arguments: [
            (0.0, [0.0, 1]), (1, [0, 1]), (2.5, [0, 1, 2, 3]), (6.9, [0, 2, 4, 6, 8]), (10, [0, 2, 4, 6, 8, 10]),
            (10.1, [0, 5, 10, 15]), (18, [0, 5, 10, 15, 20]), (365, [0, 100, 200, 300, 400]),
            (910, [0, 200, 400, 600, 800, 1000]),
        ] as [(Double, [Double])]
    )
    func whole(value: Double, ticks: [Double]) { #expect(Ticks.whole(to: value, most: 5) == ticks) }

    @Test(
        "Powers of ten around the values, in equal steps",
        arguments: [
            (40.0, 900.0, [10.0, 100, 1000]), (0, 1, [1, 10]), (100, 100, [100, 1000]), (100, 101, [100, 1000]),
            (1, 1e6, [1, 100, 1e4, 1e6]), (1, 1e7, [1, 100, 1e4, 1e6, 1e8]), (5, 1e5, [1, 10, 100, 1e3, 1e4, 1e5]),
        ] as [(Double, Double, [Double])]
    )
    func decades(low: Double, high: Double, ticks: [Double]) {
        #expect(Ticks.decades(from: low, to: high, most: 5) == ticks)
    }
}
