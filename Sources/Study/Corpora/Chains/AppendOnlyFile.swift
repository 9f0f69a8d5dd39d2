internal import Foundation
internal import WireFormat

/// A file that only grows, by whole records.
struct AppendOnlyFile: ~Copyable {
    let path: String
    private let handle: FileHandle
    private var buffer: [UInt8] = []

    /// Bytes that ``flush()`` would write.
    var pending: Int { buffer.count }

    /// Opens or creates the file. With `isLocked`, this value holds an exclusive lock until it is destroyed.
    init(_ file: String, isLocked: Bool = false) throws(RecordingError) {
        // Not handed to programs that this one starts: they would hold the lock as long as they run.
        // FileHandle cannot ask for that. A pipe is opened without waiting and then refused, since it cannot be cut.
        let descriptor = unsafe SystemPath.withSystemPath(file) {
            unsafe open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o644)
        }
        guard descriptor >= 0 else {
            let problem = "cannot be written (\(SystemReason.text(errno))): check path and permissions"
            throw RecordingError(path: file, line: nil, problem: problem)
        }
        guard (try? FileReading.kind(of: file)) == .file else {
            _ = close(descriptor)
            throw RecordingError(
                path: file,
                line: nil,
                problem: "is not a regular file: remove it, or name another folder"
            )
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        if isLocked, flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let problem = "another recorder is writing here: wait until it is done, or name another folder"
            throw RecordingError(path: file, line: nil, problem: problem)
        }
        self.handle = handle
        path = file
    }

    /// Takes away what a crash left behind the last `ending`.
    func dropTornTail(after ending: String) throws(RecordingError) {
        do {
            let size = try handle.seekToEnd()
            let window = min(size, UInt64(ChainRecording.Limits.lineBytes))
            try handle.seek(toOffset: size - window)
            let tail = [UInt8](try handle.readToEnd() ?? Data())
            let marker = [UInt8](ending.utf8)
            guard !tail.isEmpty, !tail.reversed().starts(with: marker.reversed()) else { return }
            var end = tail.count - marker.count
            while end >= 0, !tail[end..<end + marker.count].elementsEqual(marker) { end -= 1 }
            guard end >= 0 || window == size else { throw RecordingError.notARecording(path) }
            try handle.truncate(atOffset: end >= 0 ? size - window + UInt64(end + marker.count) : 0)
        } catch let error as RecordingError {
            throw error
        } catch {
            throw RecordingError(path: path, line: nil, problem: "cannot be read and cut: check permissions")
        }
    }

    mutating func append(_ record: [UInt8]) { buffer += record }

    /// Writes what was appended and waits for the disk.
    mutating func flush() throws(RecordingError) {
        guard !buffer.isEmpty else { return }
        do {
            try handle.seekToEnd()
            try handle.write(contentsOf: buffer)
            try handle.synchronize()
        } catch {
            throw RecordingError(path: path, line: nil, problem: "cannot be written to its end: check the disk's space")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

extension RecordingError {
    fileprivate static func notARecording(_ path: String) -> Self {
        let problem =
            "ends with more than \(ChainRecording.Limits.lineBytes) bytes without a complete record: check that this is a recording"
        return Self(path: path, line: nil, problem: problem)
    }
}
