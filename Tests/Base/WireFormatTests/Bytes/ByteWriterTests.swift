import TestLimits
import Testing
import WireFormat

@Suite(.inTurn) struct ByteWriterTests {
    @Test func numbersComeLeastSignificantByteFirst() {
        let bytes = ByteWriter.filling(count: 14) { writer in
            writer.put(littleEndian: UInt16(0x0201))
            writer.put(littleEndian: UInt32(0x0605_0403))
            writer.put(littleEndian: UInt64(0x0e0d_0c0b_0a09_0807))
        }
        #expect(bytes == Array(1...14))
    }

    @Test(
        "UTF-16LE as the standard library makes it",
        arguments: ["", "a", "wiki.example", "é", "aé", "€", "𐐨x", "日本"]
    )
    func textIsUTF16(text: String) {
        let expected = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let units = text.utf16.count
        let bytes = ByteWriter.filling(count: 2 * units + 1) { writer in
            writer.putZeros(1)
            writer.put(utf16: text, units: units)
        }
        #expect(bytes == [0] + expected)
    }

    @Test("A text has the bytes that are written, and no others")
    func text() async {
        for text in ["", "a", "fünfzehn bytes", "more than fifteen bytes: 日本"] {
            #expect(ByteWriter.text(copying: text.utf8.span) == text)
            let more = ByteWriter.text(count: 8 + text.utf8.count) {
                $0.put("https://")
                $0.put(text.utf8.span)
            }
            #expect(more == "https://" + text)
        }
        await #expect(processExitsWith: .failure) { _ = ByteWriter.text(count: 2) { $0.put(byte: 0x61) } }
        await #expect(processExitsWith: .failure) { _ = ByteWriter.text(count: 1) { $0.put("ab") } }
    }

    @Test func whatIsWrittenCanBeReadAndReplaced() {
        let (first, second): ([UInt8], [UInt8]) = ([1, 2, 3, 4], [9, 8])
        var seen: [UInt8] = []
        let bytes = ByteWriter.filling(count: 4) { writer in
            writer.put(first.span)
            seen = writer.withBytes(1..<3) { [UInt8](copying: $0) }
            writer.overwrite(at: 2, with: second.span)
        }
        #expect(seen == [2, 3])
        #expect(bytes == [1, 2, 9, 8])
    }

    @Test func whatIsWrittenCanBeWrittenAnew() async {
        let bytes = ByteWriter.filling(leading: 2, count: 4) { writer in
            writer.putZeros(6)
            writer.overwrite(at: 1, count: 3) {
                $0.put(littleEndian: UInt16(0x0201))
                $0.put(byte: 3)
            }
            writer.overwrite(at: 6, count: 0) { _ in }
        }
        #expect(bytes == [2, 3, 0, 0])
        await #expect(processExitsWith: .failure) { Self.overwrite(at: 0, count: 2) }
        await #expect(processExitsWith: .failure) { Self.overwrite(at: 0, count: 4) }
        await #expect(processExitsWith: .failure) { Self.overwrite(at: -1, count: 3) }
        await #expect(processExitsWith: .failure) { Self.overwrite(at: 2, count: 3) }
    }

    /// Writes three bytes anew.
    private static func overwrite(at offset: Int, count: Int) {
        _ = ByteWriter.filling(count: 4) { writer in
            writer.putZeros(4)
            writer.overwrite(at: offset, count: count) { $0.putZeros(3) }
        }
    }

    @Test func aTextHoldsPrefixAndDigits() {
        // RFC 4648 section 10.
        let text = ByteWriter.base64(prefix: "NTLM ", count: 5) { writer in
            let bytes = [UInt8]("fooba".utf8)
            writer.put(bytes.span)
        }
        #expect(text == "NTLM Zm9vYmE=")
        #expect(ByteWriter.base64(prefix: "", count: 0) { _ in } == "")
    }

    @Test func aWrongSumIsTheCallersBug() async {
        await #expect(processExitsWith: .failure) { _ = ByteWriter.filling(count: 3) { $0.putZeros(4) } }
        await #expect(processExitsWith: .failure) { _ = ByteWriter.filling(count: 3) { $0.putZeros(2) } }
        await #expect(processExitsWith: .failure) {
            _ = ByteWriter.filling(count: 3) {
                $0.putZeros(2)
                let three: [UInt8] = [1, 2, 3]
                $0.overwrite(at: 0, with: three.span)
            }
        }
        await #expect(processExitsWith: .failure) {
            _ = ByteWriter.filling(count: 4) { $0.put(utf16: "abc", units: 2) }
        }
    }
}
