internal import Foundation
internal import WireFormat

/// The bytes of a file in pieces, so that a file is never in memory as a whole.
struct ChunkFeed {
    /// Small enough to be read out of the second cache, into which the system has just copied it.
    private static let chunkBytes = 128 << 10

    let path: String
    /// Whether the file may also be a pipe, whose writer is waited for.
    var allowsPipe = false

    /// Calls `body` with what was read and not yet consumed, and whether anything follows; it says how much it consumed.
    ///
    /// What is left is handed over again, with what follows; `body` bounds how much that can become.
    func forEach(_ body: (Span<UInt8>, _ isAtEnd: Bool) throws(RecordingError) -> Int) throws(RecordingError) {
        let descriptor: Int32
        do throws(FileReadError) {
            descriptor = try allowsPipe ? FileReading.openStream(path) : FileReading.openFile(path)
        } catch {
            throw .unreadable(path, error)
        }
        defer { _ = close(descriptor) }
        // The same memory for every piece: fresh memory for each takes as long as reading it.
        var buffer = [UInt8](repeating: 0, count: Self.chunkBytes)
        var filled = 0
        var total = 0
        while true {
            if filled == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
            let count = try fill(&buffer, from: filled, descriptor)
            filled += count
            if total == 0, let form = ForeignFile(buffer.span.extracting(first: filled)), form != .der {
                throw RecordingError(path: path, line: nil, problem: "\(form)")
            }
            total += count
            guard total <= ChainRecording.Limits.fileBytes else {
                let problem = "larger than \(ChainRecording.Limits.fileBytes) bytes: split it"
                throw RecordingError(path: path, line: nil, problem: problem)
            }
            let consumed = try body(buffer.span.extracting(first: filled), count == 0)
            if count == 0 { return }
            // What is left is less than a line or a certificate; it moves to the front.
            unsafe buffer.withUnsafeMutableBytes { bytes in
                // In bounds: both ranges end at or before `filled`; they may overlap.
                unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[consumed..<filled]))
            }
            filled -= consumed
        }
    }

    /// How many bytes were read; 0 at the end of the file.
    private func fill(_ buffer: inout [UInt8], from start: Int, _ descriptor: Int32) throws(RecordingError) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                // In bounds: the room behind `start`, which is in the buffer.
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                return unsafe read(descriptor, room.baseAddress, room.count)
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw .unreadable(path, FileReadError(errno: errno)) }
        }
    }
}
