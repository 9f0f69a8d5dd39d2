package import NIOCore

/// The head of a client's request, read strictly; ranges count from the head's first byte.
package struct RequestHead {
    package enum Method: Equatable {
        case connect, head, trace
        /// GET, OPTIONS, PUT and DELETE may be sent again (RFC 9110 section 9.2.2).
        case idempotent
        case other

        package var mayBeRepeated: Bool { self == .idempotent || self == .head || self == .trace }
    }

    package let method: Method
    package let methodRange: Range<Int>
    package let target: Range<Int>
    package let isHTTP10: Bool
    package private(set) var fields: FieldFacts
    package let framing: BodyFraming
    /// Whether the client waits for `100 Continue`.
    package let expectsContinue: Bool
    /// Whether the client asks for WebSocket.
    package let wantsWebSocket: Bool

    package var hasBody: Bool { framing != .none }
    /// RFC 9112 section 9.3: a proxy keeps no connection of an HTTP/1.0 client.
    package var closes: Bool { isHTTP10 || fields.closes }
    package var mayBeRepeated: Bool { method.mayBeRepeated }

    /// Reads the head in all of `bytes`.
    package init(parsing bytes: Span<UInt8>) throws(HeadDefect) {
        var index = 0
        while index < bytes.count, bytes[index].isToken { index &+= 1 }
        guard (1...HeadLimits.method).contains(index), bytes[index] == 0x20 else { throw .requestLine }
        let methodRange = 0..<index
        let method = Self.method(bytes, methodRange)
        index &+= 1
        let start = index
        while bytes[index].isTargetByte { index &+= 1 }
        guard index > start, bytes[index] == 0x20 else { throw .requestLine }
        guard index - start <= HeadLimits.target else { throw .targetTooLong }
        let target = start..<index
        let isHTTP10 = try Self.isHTTP10(bytes, at: index &+ 1)
        var fields = FieldFacts(.request)
        try fields.read(bytes, from: index &+ 11, to: bytes.count)

        guard fields.hosts == 1 || fields.hosts == 0 && isHTTP10 else { throw .host }
        if let host = fields.host, !Self.isHost(bytes, host) { throw .host }
        let framing = try Self.framing(fields, isHTTP10, method)
        if let expectation = fields.expectation, !isHTTP10 {
            guard bytes.equals("100-continue", in: expectation) else { throw .expectation }
            expectsContinue = framing != .none
        } else {
            expectsContinue = false
        }
        // No other protocol: h2c would carry requests that the relay does not see.
        wantsWebSocket =
            fields.nominatesUpgrade && fields.upgrades == 1 && framing == .none && !isHTTP10
            && fields.upgrade.map { bytes.equals("websocket", in: $0) } == true
        (self.method, self.methodRange, self.target, self.isHTTP10) = (method, methodRange, target, isHTTP10)
        self.framing = framing
        self.fields = consume fields
    }

    /// Whether the response has the request in its body: TRACE (RFC 9110 section 9.3.8) and TRACK of old IIS. The client would read
    /// the answers that the relay adds. Some servers take methods in any case.
    package func asksForItself(_ bytes: Span<UInt8>) -> Bool {
        guard methodRange.count == 5, bytes[methodRange.lowerBound].lowercased == UInt8(ascii: "t") else {
            return false
        }
        return bytes.equals("trace", in: methodRange) || bytes.equals("track", in: methodRange)
    }

    /// Does not pass on the client's answer to a server, because it is for the relay.
    package mutating func dropAuthorization(_ bytes: ByteBuffer) {
        fields.dropAuthorization(bytes.readableBytesUInt8Span)
    }

    private static func method(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Method {
        func name(_ text: StaticString) -> Bool {
            // Methods are case-sensitive.
            bytes.equals(text, in: range) && range.allSatisfy { bytes[$0] < 0x61 }
        }
        if name("get") || name("put") || name("delete") || name("options") { return .idempotent }
        if name("connect") { return .connect }
        if name("head") { return .head }
        return name("trace") ? .trace : .other
    }

    /// `HTTP/1.x` and CR LF at `start`.
    private static func isHTTP10(_ bytes: Span<UInt8>, at start: Int) throws(HeadDefect) -> Bool {
        guard start &+ 10 <= bytes.count, bytes[start &+ 8] == 0x0D, bytes[start &+ 9] == 0x0A,
            bytes[start] == UInt8(ascii: "H"), bytes[start &+ 1] == UInt8(ascii: "T"),
            bytes[start &+ 2] == UInt8(ascii: "T"), bytes[start &+ 3] == UInt8(ascii: "P"),
            bytes[start &+ 4] == UInt8(ascii: "/"), bytes[start &+ 5].isDigit, bytes[start &+ 6] == UInt8(ascii: "."),
            bytes[start &+ 7].isDigit
        else { throw .requestLine }
        guard bytes[start &+ 5] == UInt8(ascii: "1"), bytes[start &+ 7] &- 0x30 < 2 else { throw .version }
        return bytes[start &+ 7] == UInt8(ascii: "0")
    }

    /// Whether the value has only bytes of a host and a port; it may be empty.
    private static func isHost(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): continue
            case UInt8(ascii: "0")...UInt8(ascii: ":"): continue
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"): continue
            default: return false
            }
        }
        return true
    }

    /// RFC 9112 section 6.3, without its guesses: a request that states two lengths is refused.
    private static func framing(_ fields: FieldFacts, _ isHTTP10: Bool, _ method: Method) throws(HeadDefect)
        -> BodyFraming
    {
        if fields.hasOtherCoding { throw .coding }
        if fields.isChunked {
            guard fields.length == nil, !isHTTP10 else { throw .lengthAndCoding }
            guard method != .connect, method != .trace else { throw .method }
            return .chunked
        }
        let length = fields.length ?? 0
        guard length == 0 || method != .connect && method != .trace else { throw .method }
        return .length(length)
    }
}
