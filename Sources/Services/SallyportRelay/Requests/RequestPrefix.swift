internal import HTTP1
internal import NIOCore

/// Writes a client's request as the parent gets it, up to the fields that each send adds.
enum RequestPrefix {
    /// - Parameters:
    ///   - isOriginForm: whether a server reads it, and not a proxy.
    ///   - changes: of the client's fields; `nil` without changes.
    /// - Returns: path and query in `prefix`.
    static func write(
        _ head: RequestHead,
        _ target: ProxyTarget,
        _ destination: Destination,
        _ bytes: ByteBuffer,
        isOriginForm: Bool,
        _ changes: FieldChanges?,
        via: [UInt8],
        rewriting: ReverseRewriting?,
        to prefix: inout ByteBuffer
    ) -> Range<Int> {
        let span = bytes.readableBytesUInt8Span
        let (text, hostLine) = (destination.targetText, destination.hostLine)
        let kept = changes?.kept(head.fields.kept, of: bytes) ?? head.fields.kept
        let added = text.utf8.count + hostLine.count + via.count + (changes?.added.count ?? 0)
        var path = 0..<0
        // A slash or an asterisk may come to what is copied.
        prefix.writeWithOutputRawSpan(minimumWritableBytes: bytes.readableBytes + added + 2) { out in
            // With the space after it.
            out.append(head.methodRange.lowerBound..<head.methodRange.upperBound + 1, of: span)
            // RFC 9112 section 3.2.2: the target decides, and the Host field of the client is dropped.
            // A server that is reached directly gets the origin form (section 3.2.1).
            if !isOriginForm { out.append(text.utf8.span) }
            let start = out.byteCount
            if head.method != .connect, needsSlash(head, target, span) { out.append(UInt8(ascii: "/")) }
            out.append(target.path, of: span)
            path = start..<out.byteCount
            // Section 3.2.4: OPTIONS about the server itself.
            if isOriginForm, path.isEmpty { out.append(UInt8(ascii: "*")) }
            out.append(hostLine.span)
            guard rewriting == nil else { return }
            for run in kept { out.append(run, of: span) }
            if let changes { out.append(changes.added.span) }
            out.append(via.span)
        }
        if let rewriting {
            rewriting.writeRequest(kept, of: bytes, to: &prefix)
            if let changes { prefix.writeBytes(changes.added) }
            prefix.writeBytes(via)
        }
        return path
    }

    /// Whether the path has to begin with a slash that the client left out. OPTIONS without a path is about the server.
    private static func needsSlash(_ head: RequestHead, _ target: ProxyTarget, _ bytes: Span<UInt8>) -> Bool {
        guard let first = target.path.first else { return !bytes.equals("options", in: head.methodRange) }
        return bytes[first] != UInt8(ascii: "/")
    }
}
