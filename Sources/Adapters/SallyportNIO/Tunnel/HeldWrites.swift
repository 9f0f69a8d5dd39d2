internal import NIOCore

/// Writes that wait until a tunnel is open.
struct HeldWrites {
    private var writes = CircularBuffer<(data: NIOAny, promise: EventLoopPromise<Void>?)>()
    private var hasFlush = false
    /// The bytes of the writes.
    private(set) var bytes = 0

    mutating func append(_ data: NIOAny, bytes: Int, _ promise: EventLoopPromise<Void>?) {
        writes.append((data, promise))
        self.bytes += bytes
    }

    mutating func flush() { hasFlush = !writes.isEmpty }

    /// Writes all, in order.
    mutating func release(to context: ChannelHandlerContext) {
        while let (data, promise) = writes.popFirst() { context.write(data, promise: promise) }
        if hasFlush { context.flush() }
        (hasFlush, bytes) = (false, 0)
    }

    mutating func fail(_ error: any Error) {
        while let write = writes.popFirst() { write.promise?.fail(error) }
        bytes = 0
    }
}
