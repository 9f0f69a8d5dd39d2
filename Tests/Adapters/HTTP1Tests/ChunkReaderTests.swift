import HTTP1
import Testing

/// Chunks and trailers: strict in requests, and in responses as a recipient may take them.
@Suite struct ChunkReaderTests {
    @Test("Chunks in any pieces are mended alike") func pieces() throws {
        let bytes = Array("2 \t;x=y\nok\r\n1\t\r\n!\n0 \r\nX-C : e\r\n f\nX-D:\u{1}g\n\n".utf8)
        for size in 1...bytes.count {
            var reader = ChunkReader(isLenient: true)
            var out: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                #expect(try reader.advance(over: piece.span) { _ in } == piece.count)
                for place in 0...piece.count {
                    for case .insert(place, let bytes) in reader.mendings { out += bytes }
                    if place == piece.count || reader.mendings.contains(.omit(place)) { continue }
                    if reader.mendings.contains(.addReturn(place)) { out.append(0x0D) }
                    out.append(piece[place])
                }
            }
            #expect(reader.isAtEnd)
            #expect(String(decoding: out, as: UTF8.self) == "2;x=y\r\nok\r\n1\r\n!\r\n0\r\nX-C: e f\r\nX-D:  g\r\n\r\n")
        }
    }

    @Test(
        "In responses, fields that may not be trailers are dropped (RFC 9110 section 6.5.1), and requests with them are refused",
        arguments: ["Set-Cookie: b", "content-length: 2", "Via: x", "Connection: close", "Content-Type: a/b"]
    )
    func forbiddenTrailers(line: String) throws {
        let bytes = Array("0\r\nX: y\r\n\(line)\r\n\r\n".utf8)
        var lenient = ChunkReader(isLenient: true)
        #expect(try lenient.advance(over: bytes.span) { _ in } == bytes.count && lenient.isAtEnd)
        #expect(lenient.mendings.last == .insert(bytes.count, Array("X: y\r\n\r\n".utf8)))
        var strict = ChunkReader()
        #expect(throws: HeadDefect.trailer) { try strict.advance(over: bytes.span) { _ in } }
    }

    @Test(
        "Trailers that no recipient may mend are refused, as in a head",
        arguments: ["X C: e", " X: e", "X", ": e", "X: \u{0}"]
    )
    func refusedTrailers(line: String) throws {
        var reader = ChunkReader(isLenient: true)
        let bytes = Array("0\r\n\(line)\r\n\r\n".utf8)
        #expect(throws: HeadDefect.trailer) { try reader.advance(over: bytes.span) { _ in } }
    }

    @Test("The bytes up to the line with a defect are in order, and nothing behind them is mended")
    func beforeDefect() {
        for (chunks, good) in [("2 \nok\n1 z", "2 \nok\n"), ("zz", ""), ("2\nokay", "2\nok"), ("0\nX Y: z\n\n", "")] {
            let bytes = Array(chunks.utf8)
            var reader = ChunkReader(isLenient: true)
            let (count, defect) = reader.advanceInOrder(over: bytes.span) { _ in }
            #expect(count == good.utf8.count && defect != nil)
            for mending in reader.mendings {
                switch mending {
                case .omit(let place), .addReturn(let place), .insert(let place, _): #expect(place < count)
                }
            }
        }
    }

    @Test(
        "Requests are read as strictly as before",
        arguments: ["2 \r\nok\r\n0\r\n\r\n", "2\nok\n0\n\n", "2 ;x\r\nok\r\n0\r\n\r\n"]
    )
    func requests(chunks: String) throws {
        var reader = ChunkReader()
        let bytes = Array(chunks.utf8)
        #expect(throws: HeadDefect.chunk) { try reader.advance(over: bytes.span) { _ in } }
    }

    @Test("Trailers have as many bytes and fields as their bounds, and no more", arguments: [false, true])
    func trailerBounds(isLenient: Bool) throws {
        func isRead(_ trailers: String) throws -> Bool {
            var reader = ChunkReader(isLenient: isLenient)
            let bytes = Array("0\r\n\(trailers)\r\n".utf8)
            return try reader.advance(over: bytes.span) { _ in } == bytes.count && reader.isAtEnd
        }
        /// One field; with the empty line, these are `count` bytes.
        func line(_ count: Int) -> String { "X: \(String(repeating: "a", count: count - 7))\r\n" }
        #expect(try isRead(line(HeadLimits.trailers)))
        #expect(throws: HeadDefect.trailersTooLong) { try isRead(line(HeadLimits.trailers + 1)) }
        let fields = isLenient ? 1_024 : 128
        #expect(try isRead(String(repeating: "X: y\r\n", count: fields)))
        #expect(throws: HeadDefect.tooManyTrailers) {
            try isRead(String(repeating: "X: y\r\n", count: fields + 1))
        }
    }

    /// What a reader makes of bytes in pieces of one size: the data, and what is passed on.
    private func read(_ text: String, size: Int, isLenient: Bool) throws -> (data: Int, passedOn: String) {
        var reader = ChunkReader(isLenient: isLenient)
        let bytes = Array(text.utf8)
        var (data, out): (Int, [UInt8]) = (0, [])
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            _ = try reader.advance(over: piece.span) { data += $0.count }
            for place in piece.indices where !reader.mendings.contains(.omit(place)) { out.append(piece[place]) }
        }
        #expect(reader.isAtEnd)
        return (data, String(decoding: out, as: UTF8.self))
    }

    @Test(
        "Zeros before a size are legal in responses (RFC 9112 section 7.1), and one is passed on",
        arguments: [1, 7, 5_000]
    )
    func zeros(size: Int) throws {
        for zeros in [1, 15, 16, 500, 1_020] {
            let text = String(repeating: "0", count: zeros)
            let (data, passedOn) = try read("\(text)2\r\nok\r\n\(text)\r\n\r\n", size: size, isLenient: true)
            #expect(data == 2 && passedOn == "02\r\nok\r\n0\r\n\r\n")
        }
    }

    @Test("The bounds of a chunk's size and of what stands beside it have an error each")
    func sizeBounds() throws {
        for isLenient in [false, true] {
            var largest = ChunkReader(isLenient: isLenient)
            #expect(try largest.advance(over: Array("7fffffffffffffff\r\nok".utf8).span) { _ in } == 20)
            for size in ["8000000000000000", "ffffffffffffffff", "10000000000000000"] {
                var reader = ChunkReader(isLenient: isLenient)
                #expect(throws: HeadDefect.chunkTooLarge) {
                    try reader.advance(over: Array("\(size)\r\n".utf8).span) { _ in }
                }
            }
            var reader = ChunkReader(isLenient: isLenient)
            let extensions = "1;\(String(repeating: "x", count: HeadLimits.chunkExtensions + 1))"
            #expect(throws: HeadDefect.chunkLineTooLong) {
                try reader.advance(over: Array(extensions.utf8).span) { _ in }
            }
        }
        var strict = ChunkReader()
        let zeros = Array(String(repeating: "0", count: 1_026).utf8)
        #expect(throws: HeadDefect.chunkTooLarge) { try strict.advance(over: zeros.span) { _ in } }
        var lenient = ChunkReader(isLenient: true)
        #expect(throws: HeadDefect.chunkLineTooLong) { try lenient.advance(over: zeros.span) { _ in } }
    }
}
