internal import NIOCore
internal import NIOHTTP1

/// The body and the end of a request: what the user wrote, and how much of it is sent.
struct WrittenBody {
    /// A body part or the end.
    struct Part {
        let part: HTTPClientRequestPart
        /// The same as it was written, because wrapping it anew would cost an allocation.
        let data: NIOAny
        let promise: EventLoopPromise<Void>?
    }

    /// The parts, from the first one as long as the body is kept, otherwise from the first one that is not sent.
    private var parts = CircularBuffer<Part>()
    /// How many of `parts` are sent.
    private var sent = 0
    /// The bytes of `parts`.
    private(set) var bytes = 0
    /// The bytes of the parts that are not sent.
    private(set) var unsentBytes = 0
    /// Whether the user wrote the end.
    private(set) var isEnded = false
    /// Whether parts stay after they are sent.
    private var isKept = true
    /// Whether all parts from the first one are here.
    private(set) var isWhole = true
    /// Whether bytes were sent since the last ``rewind()``.
    private(set) var hasSentBytes = false
    /// Whether the user wrote any byte, trailers included.
    private(set) var hasContent = false
    /// Whether a part is in a file, which cannot be kept.
    private(set) var hasFile = false

    /// Whether parts wait to be sent.
    var hasUnsentParts: Bool { sent < parts.count }

    /// Whether the end is sent.
    var isSent: Bool { isEnded && sent == parts.count }

    /// Forgets everything, for another request.
    mutating func reset() {
        // In place, because a copy would have memory of its own.
        parts.removeAll(keepingCapacity: parts.capacity <= Self.keptCapacity)
        (sent, bytes, unsentBytes) = (0, 0, 0)
        (isKept, isWhole) = (true, true)
        (isEnded, hasSentBytes, hasContent, hasFile) = (false, false, false, false)
    }

    /// The most parts for which a body keeps memory between requests.
    private static let keptCapacity = 16

    mutating func append(_ part: HTTPClientRequestPart, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        switch part {
        case .head: return
        case .body(let data):
            if case .fileRegion = data { hasFile = true }
            if data.readableBytes > 0 { hasContent = true }
        case .end(let trailers):
            isEnded = true
            if trailers?.isEmpty == false { hasContent = true }
        }
        parts.append(Part(part: part, data: data, promise: promise))
        bytes += part.bytes
        unsentBytes += part.bytes
    }

    /// The next part to send.
    mutating func next() -> Part? {
        guard hasUnsentParts else { return nil }
        let part = parts[offset: sent]
        unsentBytes -= part.part.bytes
        if part.part.bytes > 0 { hasSentBytes = true }
        if isKept {
            // The promise is used once.
            parts[parts.index(parts.startIndex, offsetBy: sent)] = Part(part: part.part, data: part.data, promise: nil)
            sent += 1
        } else {
            parts.removeFirst()
            bytes -= part.part.bytes
            isWhole = false
        }
        return part
    }

    /// Begins at the first part again.
    mutating func rewind() {
        guard isKept else { return }
        (sent, hasSentBytes, unsentBytes) = (0, false, bytes)
    }

    /// Drops what is sent, now and later: the body is too long to keep.
    mutating func stopKeeping() {
        guard isKept else { return }
        isKept = false
        if sent > 0 { isWhole = false }
        for _ in 0..<sent { bytes -= parts.removeFirst().part.bytes }
        sent = 0
    }

    /// All bytes of the body.
    var content: [UInt8] {
        parts.flatMap { part -> [UInt8] in
            guard case .body(.byteBuffer(let buffer)) = part.part else { return [] }
            return Array(buffer.readableBytesView)
        }
    }

    /// The promises of parts that are not sent.
    mutating func takePromises() -> [EventLoopPromise<Void>] {
        guard parts.contains(where: { $0.promise != nil }) else { return [] }
        let promises = parts.dropFirst(sent).compactMap(\.promise)
        parts = CircularBuffer(parts.map { Part(part: $0.part, data: $0.data, promise: nil) })
        return promises
    }
}

extension HTTPClientRequestPart {
    /// The bytes of a body part.
    var bytes: Int {
        guard case .body(let data) = self else { return 0 }
        return data.readableBytes
    }
}

extension CircularBuffer {
    fileprivate subscript(offset offset: Int) -> Element { self[index(startIndex, offsetBy: offset)] }
}
