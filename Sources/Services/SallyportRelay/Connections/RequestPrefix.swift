internal import NIOCore

/// Writes a client's request as the parent gets it, up to the fields that each send adds.
enum RequestPrefix {
    private static let end = ByteBuffer(string: " HTTP/1.1\r\nHost: ")

    /// - Parameter isOriginForm: whether a server reads it, and not a proxy.
    /// - Returns: path and query in `prefix`.
    static func write(
        _ head: RequestHead,
        _ target: RequestTarget,
        _ destination: Destination,
        _ bytes: ByteBuffer,
        isOriginForm: Bool,
        via: ByteBuffer,
        rewriting: ReverseRewriting?,
        to prefix: inout ByteBuffer
    ) -> Range<Int> {
        copy(head.methodRange, of: bytes, to: &prefix)
        prefix.writeInteger(UInt8(ascii: " "))
        // RFC 9112 section 3.2.2: the target decides, and the Host field of the client is dropped.
        // A server that is reached directly gets the origin form (section 3.2.1).
        if !isOriginForm { prefix.writeString(destination.targetText) }
        let start = prefix.writerIndex
        if head.method != .connect, needsSlash(head, target, bytes) { prefix.writeInteger(UInt8(ascii: "/")) }
        copy(target.path, of: bytes, to: &prefix)
        let path = start..<prefix.writerIndex
        // Section 3.2.4: OPTIONS about the server itself.
        if isOriginForm, path.isEmpty { prefix.writeInteger(UInt8(ascii: "*")) }
        prefix.writeImmutableBuffer(end)
        prefix.writeString(destination.host)
        prefix.writeInteger(UInt16(0x0D0A))
        if let rewriting {
            rewriting.writeRequest(head.fields.kept, of: bytes, to: &prefix)
        } else {
            for run in head.fields.kept { copy(run, of: bytes, to: &prefix) }
        }
        prefix.writeImmutableBuffer(via)
        return path
    }

    /// Whether the path has to begin with a slash that the client left out. OPTIONS without a path is about the server.
    private static func needsSlash(_ head: RequestHead, _ target: RequestTarget, _ bytes: ByteBuffer) -> Bool {
        guard let first = target.path.first else {
            return !bytes.readableBytesUInt8Span.equals("options", in: head.methodRange)
        }
        return bytes.readableBytesUInt8Span[first] != UInt8(ascii: "/")
    }

    private static func copy(_ range: Range<Int>, of bytes: ByteBuffer, to buffer: inout ByteBuffer) {
        guard let slice = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) else { return }
        buffer.writeImmutableBuffer(slice)
    }
}
