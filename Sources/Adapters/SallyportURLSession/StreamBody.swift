internal import Foundation
internal import NIOCore
internal import NIOPosix

/// A body stream, which can be read once. It is read on threads that may block.
struct StreamBody: AsyncSequence, Sendable {
    private let reader: Reader

    init(_ stream: InputStream) { reader = Reader(stream) }

    func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    struct Iterator: AsyncIteratorProtocol {
        let reader: Reader

        mutating func next() async throws -> ByteBuffer? {
            try await NIOThreadPool.singleton.runIfActive { [reader] in try reader.next() }
        }
    }

    /// `@unchecked Sendable` is safe, because a body that can be sent once has one reader, which waits for each part.
    final class Reader: @unchecked Sendable {
        private static let partBytes = 64 << 10
        private let stream: InputStream
        private var isOpen = false

        init(_ stream: InputStream) { self.stream = stream }

        deinit { stream.close() }

        func next() throws -> ByteBuffer? {
            if !isOpen {
                stream.open()
                isOpen = true
            }
            var bytes = [UInt8](repeating: 0, count: Self.partBytes)
            let count = unsafe stream.read(&bytes, maxLength: bytes.count)
            if count < 0 { throw stream.streamError ?? CocoaError(.fileReadUnknown) }
            return count == 0 ? nil : ByteBuffer(bytes: bytes.prefix(count))
        }
    }
}
