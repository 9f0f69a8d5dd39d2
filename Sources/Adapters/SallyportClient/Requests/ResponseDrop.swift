package import NIOCore
package import RequestFlow
internal import Waiting

extension AsyncSequence {
    /// Reads a response's body that no caller gets, so that its connection is free, within ``ClientSettings/drainedBytes`` and
    /// ``ClientSettings/drainLimit``.
    ///
    /// That it is cut off, too long or too slow costs the connection alone.
    ///
    /// - Returns: ``DropEnd/reusable`` for one that was read to its end.
    /// - Throws: `CancellationError`.
    package func drop(within settings: ClientSettings) async throws -> DropEnd
    where Self: Sendable, Element == ByteBuffer {
        do {
            return try await Deadline.run(until: .now() + settings.drainLimit) {
                var count = 0
                for try await part in self {
                    count += part.readableBytes
                    guard count <= settings.drainedBytes else { return .tooLong }
                }
                // A reader that is cancelled may see an end.
                try Task.checkCancellation()
                return .reusable
            }
        } catch ClientError.deadlineExceeded {
            return .tooLong
        } catch {
            try Task.checkCancellation()
            return .unusable
        }
    }
}
