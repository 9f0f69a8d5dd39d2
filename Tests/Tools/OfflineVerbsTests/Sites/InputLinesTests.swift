import Testing

@testable import OfflineVerbs

@Suite struct InputLinesTests {
    /// A source that gives one piece each time, so that lines are cut where the pieces are.
    private func source(_ pieces: [String]) -> InputLines.Source {
        var rest = pieces[...]
        return { (buffer: inout [UInt8], start: Int) throws(InputError) -> Int in
            guard let piece = rest.popFirst() else { return 0 }
            let bytes = Array(piece.utf8.prefix(buffer.count - start))
            buffer.replaceSubrange(start..<(start + bytes.count), with: bytes)
            return bytes.count
        }
    }

    private func lines(of pieces: String...) throws -> [String] {
        var input = InputLines(source(pieces))
        var lines: [String] = []
        while try input.fill() {
            let range = input.takeLines()
            let bytes = input.bytes
            InputLines.forEach(in: bytes, range) { lines.append(String(decoding: bytes[$0], as: UTF8.self)) }
        }
        return lines
    }

    @Test("Lines, however they arrive and end") func lineEnds() throws {
        #expect(try lines() == [])
        #expect(try lines(of: "a\nb\r\n\nc") == ["a", "b", "", "c"])
        #expect(try lines(of: "a", "b\nc\r", "\nd", "\n") == ["ab", "c", "d"])
        #expect(try lines(of: "\n\n") == ["", ""])
        #expect(try lines(of: "a\n", "b\nc", "d\ne") == ["a", "b", "cd", "e"])
    }

    @Test("A line that does not fit is an error") func tooLong() throws {
        let longest = String(repeating: "a", count: InputLines.maximumLength - 1)
        var input = InputLines(source([longest, "\nb"]))
        #expect(try input.fill())
        #expect(input.takeLines().isEmpty)
        #expect(try input.fill())
        #expect(input.takeLines() == 0..<InputLines.maximumLength)
        var long = InputLines(source([longest + "a"]))
        #expect(try long.fill())
        #expect(long.takeLines().isEmpty)
        #expect(throws: InputError.tooLong(limit: InputLines.maximumLength)) { try long.fill() }
        var broken = InputLines { (_, _) throws(InputError) -> Int in throw .unreadable(code: 5) }
        #expect(throws: InputError.unreadable(code: 5)) { try broken.fill() }
    }
}
