internal import ArgumentParser
internal import NIOCore
internal import OfflineVerbs
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Where the body of a response goes.
///
/// A file is replaced as a whole when the body has ended, and keeps its old bytes otherwise. A pipe or a device gets the bytes at once.
///
/// `@unchecked Sendable` is safe, because one task uses it at a time.
final class BodyOutput: @unchecked Sendable {
    private var writer: FileReplacementWriter?
    private let stream: Int32?
    private let ownsStream: Bool
    private let name: String
    /// How many bytes were written.
    private(set) var count: UInt64 = 0

    static let standardOutput = "standard output"
    /// The permissions of a new file, less what the process masks.
    private static let permissions: UInt16 = 0o666

    /// Opens a file, or standard output for `-`; `nil` drops the bytes.
    ///
    /// - Throws: ``BodyOutputError``.
    init(_ path: String?) throws(BodyOutputError) {
        name = path.map { $0 == "-" ? Self.standardOutput : $0.inOneLine } ?? "nothing"
        guard let path, path != "-" else {
            (stream, ownsStream) = (path == nil ? nil : STDOUT_FILENO, false)
            writer = nil
            return
        }
        do throws(FileWriteError) {
            writer = try FileReplacementWriter(
                replacing: path,
                permissions: Self.permissions,
                keepsPermissions: true
            )
            (stream, ownsStream) = (nil, false)
        } catch {
            guard error.errno == ENODEV else { throw BodyOutputError(place: name, errno: error.errno) }
            let descriptor = unsafe SystemPath.withSystemPath(path) { unsafe open($0, O_WRONLY | O_CLOEXEC) }
            guard descriptor >= 0 else { throw BodyOutputError(place: name, errno: errno) }
            (stream, ownsStream) = (descriptor, true)
            writer = nil
        }
        if let temporary = writer?.temporary { EndingSignals.remove(temporary) }
    }

    deinit {
        if ownsStream, let stream { close(stream) }
    }

    /// Whether the body goes to a file that is replaced at the end.
    var isFile: Bool { writer != nil }

    func write(_ part: ByteBuffer) throws {
        count += UInt64(part.readableBytes)
        var failure: Int32 = 0
        if let stream {
            failure = unsafe part.withUnsafeReadableBytes { bytes in
                unsafe DescriptorWriting.writeAll(bytes, to: stream)
            }
            if failure == EPIPE, !ownsStream { Self.endByPipe() }
        } else if writer != nil {
            do {
                try unsafe part.withUnsafeReadableBytes { try unsafe writer?.write($0) }
            } catch let error as FileWriteError {
                failure = error.errno
            }
        }
        guard failure == 0 else { throw BodyOutputError(place: name, errno: failure) }
    }

    /// Puts the file in its place.
    func finish() throws {
        guard let writer = writer.take() else { return }
        defer { EndingSignals.keepFile() }
        do throws(FileWriteError) {
            try writer.finish()
        } catch {
            throw BodyOutputError(place: name, errno: error.errno)
        }
    }

    /// Leaves the file as it was.
    func abandon() {
        guard writer.take() != nil else { return }
        EndingSignals.keepFile()
    }

    /// Ends the process as the system does when the reader of a pipe has gone. SwiftNIO ignores the signal.
    private static func endByPipe() {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }
}

/// Why the body could not be written.
struct BodyOutputError: Error, Equatable {
    let place: String
    let errno: Int32

    var isStandardOutput: Bool { place == BodyOutput.standardOutput }
}

extension BodyOutputError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        isStandardOutput
            ? "standard output: cannot be written (\(SystemReason.text(errno))): check the disk or the reader"
            : "\(place): \(FileProblem.writing(errno: errno))"
    }
}
