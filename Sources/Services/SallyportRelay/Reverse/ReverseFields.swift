internal import HTTP1
internal import NIOCore

/// Walks over the fields of a head that has been read.
enum ReverseFields {
    /// Calls `body` with the name in lower case and the value of each field in `runs`.
    static func forEach(in runs: [Range<Int>], of bytes: ByteBuffer, _ body: (String, String) -> Void) {
        forEachLine(in: runs, of: bytes) { line, name in body(name, text(line.value, bytes)) }
    }

    /// Calls `body` with the place of each field in `runs`, and its name in lower case.
    static func forEachLine(in runs: [Range<Int>], of bytes: ByteBuffer, _ body: (FieldLine, String) -> Void) {
        let span = bytes.readableBytesUInt8Span
        for run in runs {
            var index = run.lowerBound
            while index < run.upperBound, let line = try? FieldLine(parsing: span, at: index) {
                index = line.line.upperBound
                body(line, text(line.name, bytes).lowercased())
            }
        }
    }

    static func text(_ range: Range<Int>, _ bytes: ByteBuffer) -> String {
        bytes.getString(at: bytes.readerIndex + range.lowerBound, length: range.count) ?? ""
    }

    /// Copies a line byte for byte.
    static func copy(_ range: Range<Int>, of bytes: ByteBuffer, to out: inout ByteBuffer) {
        guard let slice = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) else { return }
        out.writeImmutableBuffer(slice)
    }
}
