internal import Foundation
internal import WireFormat

/// The lines of a file, one at a time.
package struct LineFeed {
    let path: String
    let lineBytes: Int
    let allowsPipe: Bool

    /// The lines of the file at `path`, none of which is longer than `lineBytes`; with `allowsPipe`, also of a pipe.
    package init(path: String, lineBytes: Int = ChainRecording.Limits.lineBytes, allowsPipe: Bool = false) {
        self.path = path
        self.lineBytes = lineBytes
        self.allowsPipe = allowsPipe
    }

    /// Calls `body` with each line, without its line feed, and its number from 1; empty and blank lines are left out.
    package func forEach(
        _ body: (Span<UInt8>, Int) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        var number = 0
        try ChunkFeed(path: path, allowsPipe: allowsPipe).forEach { (bytes, isAtEnd) throws(RecordingError) in
            var start = 0
            while let end = newline(in: bytes, from: start) ?? (isAtEnd && start < bytes.count ? bytes.count : nil) {
                number += 1
                guard end - start <= lineBytes else { throw tooLong(number) }
                let line = bytes.extracting(start..<end)
                if !isBlank(line) { try body(line, number) }
                start = end + 1
            }
            guard bytes.count - start <= lineBytes else { throw tooLong(number + 1) }
            return min(start, bytes.count)
        }
    }

    private func tooLong(_ number: Int) -> RecordingError {
        RecordingError(path: path, line: number, problem: "longer than \(lineBytes) bytes: shorten it")
    }
}

/// Whether a line of JSON has nothing but blanks (RFC 8259 section 2), such as the CR of an editor that ends lines with CR LF.
func isBlank(_ line: Span<UInt8>) -> Bool {
    var scanner = JSONScanner()
    scanner.skipSpace(line)
    return scanner.position == line.count
}

/// Where the first line that ends at `start` or behind it ends.
func newline(in bytes: Span<UInt8>, from start: Int) -> Int? {
    unsafe bytes.withUnsafeBufferPointer { bytes in
        // In bounds: the search starts inside the buffer, and is as long as what follows.
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = unsafe memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
        else { return nil }
        return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
