internal import Foundation

/// The lines of a file, one at a time, so that a file is never in memory as a whole.
package struct LineFeed {
    private static let chunkBytes = 1 << 20

    let path: String
    let lineBytes: Int

    /// The lines of the file at `path`, none of which is longer than `lineBytes`.
    package init(path: String, lineBytes: Int = ChainRecording.Limits.lineBytes) {
        self.path = path
        self.lineBytes = lineBytes
    }

    /// Calls `body` with each line, without its end, and its number from 1; empty lines are left out.
    package func forEach(
        _ body: (Span<UInt8>, Int) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw RecordingError(path: path, line: nil, problem: Self.unreadable)
        }
        defer { try? file.close() }
        var pending: [UInt8] = []
        var number = 0
        var isAtEnd = false
        var total = 0
        while !isAtEnd {
            let chunk: Data
            do {
                chunk = try file.read(upToCount: Self.chunkBytes) ?? Data()
            } catch {
                throw RecordingError(path: path, line: nil, problem: Self.unreadable)
            }
            isAtEnd = chunk.isEmpty
            total += chunk.count
            guard total <= ChainRecording.Limits.fileBytes else {
                throw RecordingError(
                    path: path,
                    line: nil,
                    problem: "larger than \(ChainRecording.Limits.fileBytes) bytes: split it"
                )
            }
            pending.append(contentsOf: chunk)
            if isAtEnd, pending.last != nil { pending.append(UInt8(ascii: "\n")) }
            let consumed = try lines(of: pending.span, number: &number, body)
            guard pending.count - consumed <= lineBytes else {
                throw RecordingError(
                    path: path,
                    line: number + 1,
                    problem: "longer than \(lineBytes) bytes: shorten it"
                )
            }
            pending.removeSubrange(..<consumed)
        }
    }

    private static func newline(in bytes: Span<UInt8>, from start: Int) -> Int? {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            // In bounds: the search starts inside the buffer, and is as long as what follows.
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
    }

    private static let unreadable = "cannot be read: check that the recording's folder is complete and readable"

    /// How many bytes the complete lines take.
    private func lines(
        of bytes: Span<UInt8>,
        number: inout Int,
        _ body: (Span<UInt8>, Int) throws(RecordingError) -> Void
    ) throws(RecordingError) -> Int {
        var start = 0
        while let index = Self.newline(in: bytes, from: start) {
            number += 1
            if index > start {
                guard index - start <= lineBytes else {
                    throw RecordingError(
                        path: path,
                        line: number,
                        problem: "longer than \(lineBytes) bytes: shorten it"
                    )
                }
                try body(bytes.extracting(start..<index), number)
            }
            start = index + 1
        }
        return start
    }
}
