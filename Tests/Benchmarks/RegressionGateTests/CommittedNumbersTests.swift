import RegressionGate
import Testing

@Suite struct CommittedNumbersTests {
    @Test func aFileSurvivesReadingAndWriting() throws {
        let text = """
            allocations 0.0625
            instructions 182.4
            retains 2
            ratio amd-epyc scalar 1.234 0.05
            watched xeon wide 7 0.1
            """
        #expect(try CommittedNumbers(parsing: text).lines.joined(separator: "\n") == text)
    }

    @Test(
        "A damaged line is named",
        arguments: [
            "allocations", "allocations x", "retains", "retains x", "ratio a b 1", "hello 1", "ratio a b 1 x",
            "ratio a b 0 0.05",
            "ratio a b 1 0.08", "watched a b 1 0.07", "ratio a lines 1 0.41", "watched a lines 1 0.4",
        ]
    )
    func damagedLineIsNamed(line: String) {
        #expect(throws: CommittedNumbers.ReadingError.unreadableLine(2)) {
            try CommittedNumbers(parsing: "instructions 7\n" + line)
        }
    }

    @Test func aNameBecomesOnePathSegment() {
        #expect(CommittedNumbers.fileName(of: "A.b/hit/N=1") == "A.b_hit_N=1.txt")
    }

    @Test(arguments: [
        (0, "0"), (0.0625, "0.0625"), (1.5, "1.5"), (-0.25, "-0.25"), (99.99999, "100"), (3.0001, "3.0001"),
    ])
    func figuresHaveFourDigits(value: Double, text: String) {
        #expect(Figure.text(value) == text)
    }

    @Test func linesOfSeveralRunsComeTogether() throws {
        let all = try Measured.read("ratio\tA\tscalar\t2\nallocations\tB\t1\nratio\tA\tscalar\t2.2\n")
        #expect(all.map(\.operation) == ["A", "B"])
        #expect(all.first?.measured.ratios == [2, 2.2] && all.last?.measured.allocations == 1)
        #expect(try Measured.read("retains\tA\t2\n").first?.measured.retains == 2)
        #expect(throws: Measured.UnreadableLine(number: 1)) { try Measured.read("time\tA\t1") }
    }

    @Test func whatWasNotMeasuredStays() throws {
        let committed = try CommittedNumbers(parsing: "allocations 1\nratio there scalar 2 0.05")
        var measured = Measured()
        measured.instructions = 9
        measured.yardstick = "scalar"
        measured.ratios = [3]
        let updated = measured.updating(committed, machine: "here")
        #expect(updated.allocations == 1 && updated.instructions == 9)
        #expect(updated.ratios.keys.sorted() == ["here", "there"])
    }
}
