package import Foundation
internal import WireFormat

/// Reads a file of a recording.
package enum RecordingFile {
    /// Bytes of one file.
    package static let maximumBytes = 256 * 1024 * 1024

    /// The bytes of a file of at most ``maximumBytes`` bytes.
    package static func read(_ path: String) throws(RecordingError) -> Data {
        let descriptor: Int32
        do throws(FileReadError) {
            descriptor = try FileReading.openFile(path)
        } catch {
            throw .unreadable(path, error)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.read(upToCount: maximumBytes + 1) ?? Data() else {
            throw RecordingError(path: path, line: nil, problem: "cannot be read to its end: check the disk")
        }
        guard data.count <= maximumBytes else {
            throw RecordingError(path: path, line: nil, problem: "larger than \(maximumBytes) bytes: split it")
        }
        return data
    }

    /// The same for a text of another program; UTF-16 is converted, and a compressed file is refused.
    package static func readText(_ path: String) throws(RecordingError) -> [UInt8] {
        let bytes = [UInt8](try read(path))
        // What is in DER is named by the reader of certificates.
        if ForeignFile(bytes.span) == .der { return bytes }
        do throws(ForeignFile) {
            return try ForeignFile.text(bytes)
        } catch {
            throw RecordingError(path: path, line: nil, problem: "\(error)")
        }
    }
}
