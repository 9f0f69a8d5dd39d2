internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import SallyportClient

/// Bodies in files. Files are read and written on threads that may block.
enum FileBody {
    private static let partBytes = 64 << 10

    /// The contents of a file, read anew for each send.
    static func body(of file: URL) throws -> ClientRequest.Body {
        let length = try FileHandle(forReadingFrom: file).seekToEnd()
        return .repeatable(length: Int64(length)) { FileParts(file: file, partBytes: partBytes) }
    }

    /// Writes a body to a new file, which is removed if that fails.
    static func write(_ body: ResponseBody, to file: URL) async throws {
        guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        do {
            let handle = try FileHandle(forWritingTo: file)
            for try await part in body {
                try await NIOThreadPool.singleton.runIfActive { try handle.write(contentsOf: part.readableBytesView) }
            }
            try handle.close()
        } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
    }
}

/// The parts of a file.
private struct FileParts: AsyncSequence, Sendable {
    let file: URL
    let partBytes: Int

    func makeAsyncIterator() -> Iterator { Iterator(file: file, partBytes: partBytes) }

    struct Iterator: AsyncIteratorProtocol {
        let file: URL
        let partBytes: Int
        var handle: FileHandle?

        mutating func next() async throws -> ByteBuffer? {
            if handle == nil { handle = try FileHandle(forReadingFrom: file) }
            guard let handle else { return nil }
            let data = try await NIOThreadPool.singleton.runIfActive { [partBytes] in
                try handle.read(upToCount: partBytes)
            }
            return data.flatMap { $0.isEmpty ? nil : ByteBuffer(bytes: $0) }
        }
    }
}
