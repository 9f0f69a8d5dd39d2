package import NIOCore
package import OAuth
internal import Sallyport
internal import Synchronization

/// The begin of a body that may hold an error of an ArcGIS server.
package struct BodyBegin: Sendable {
    /// The bytes from the start of the body that were read.
    package let bytes: ByteBuffer
    /// Whether the body has ended.
    package let isWhole: Bool

    /// Reads at most `Authenticator.refusalBytes` and one part.
    package init<Parts: AsyncIteratorProtocol>(reading parts: inout Parts) async throws
    where Parts.Element == ByteBuffer {
        var read = ByteBuffer()
        while var part = try await parts.next() {
            read.writeBuffer(&part)
            guard read.readableBytes <= Authenticator.refusalBytes else {
                (bytes, isWhole) = (read, false)
                return
            }
        }
        (bytes, isWhole) = (read, true)
    }

    /// The error; `nil` in a longer body, and in one that holds none.
    package var problem: ArcGISProblem? {
        guard isWhole else { return nil }
        let bytes = Array(bytes.readableBytesView)
        return ArcGISProblem(inBody: bytes.span)
    }
}

/// A body whose begin was read. It has one reader.
package final class BegunBody<Rest>: Sendable {
    /// The bytes from the start of the body, which a reader gets before the rest.
    package let bytes: ByteBuffer
    private let rest: Mutex<Rest?>

    /// Takes the begin, and what reads on.
    package init(_ bytes: ByteBuffer, then rest: sending Rest?) {
        self.bytes = bytes
        self.rest = Mutex(rest)
    }

    /// What follows, for the one reader of the body.
    package func takeRest() -> sending Rest? {
        rest.withLock { rest in
            let taken = rest
            rest = nil
            return taken
        }
    }
}
