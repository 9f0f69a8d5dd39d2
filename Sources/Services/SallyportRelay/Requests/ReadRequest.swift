internal import HTTP1
internal import NIOCore

/// A request whose head is read, before it has a way.
struct ReadRequest {
    let head: RequestHead
    let target: ProxyTarget
    let destination: Destination
    /// The head as the client sent it.
    var bytes: ByteBuffer
    /// Changes addresses; `nil` for a proxy's request.
    var rewriting: ReverseRewriting?

    /// The request up to the fields that each send adds, and path and query in it.
    func prefix(
        isOriginForm: Bool,
        _ changes: FieldChanges?,
        via: [UInt8],
        _ heads: HeadMemory
    ) -> (ByteBuffer, Range<Int>) {
        var prefix = heads.take(capacity: bytes.readableBytes + 256)
        let path = RequestPrefix.write(
            head,
            target,
            destination,
            bytes,
            isOriginForm: isOriginForm,
            changes,
            via: via,
            rewriting: rewriting,
            to: &prefix
        )
        return (prefix, path)
    }
}
