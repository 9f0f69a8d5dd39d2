internal import Foundation

/// The lines of a file, one at a time, so that a file is never in memory as a whole.
package struct LineFeed {
    private static let chunkBytes = 1 << 20

    let path: String

    /// The lines of the file at `path`.
    package init(path: String) { self.path = path }

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
            guard pending.count - consumed <= ChainRecording.Limits.lineBytes else {
                throw RecordingError(
                    path: path,
                    line: number + 1,
                    problem: "longer than \(ChainRecording.Limits.lineBytes) bytes"
                )
            }
            pending.removeSubrange(..<consumed)
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
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            number += 1
            if index > start {
                guard index - start <= ChainRecording.Limits.lineBytes else {
                    throw RecordingError(
                        path: path,
                        line: number,
                        problem: "longer than \(ChainRecording.Limits.lineBytes) bytes"
                    )
                }
                try body(bytes.extracting(start..<index), number)
            }
            start = index + 1
        }
        return start
    }
}
