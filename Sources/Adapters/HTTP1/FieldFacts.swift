package import NIOCore

/// What the fields of a head say about its connection and its body, and which of them are passed on.
package struct FieldFacts {
    package private(set) var length: Int?
    package private(set) var isChunked = false
    /// Another coding than `chunked`.
    package private(set) var hasOtherCoding = false
    package private(set) var closes = false
    package private(set) var keepsAlive = false
    package private(set) var nominatesUpgrade = false
    /// Whether the client answers its server itself.
    package private(set) var hasAuthorization = false
    /// Whether that answer authenticates the connection, so that it carries requests of this client only.
    package private(set) var authorizesConnection = false
    /// The client's answers to a proxy, which are never passed on.
    package var proxyAuthorizations: [Range<Int>] { rare?.proxyAuthorizations ?? [] }
    /// Whether a proxy nearer to the server says that it keeps the connections of clients apart (RFC 4559 section 6).
    package private(set) var hasProxySupport = false
    private let kind: Kind
    package private(set) var host: Range<Int>?
    package private(set) var hosts = 0
    package private(set) var expectation: Range<Int>?
    package private(set) var upgrade: Range<Int>?
    package private(set) var upgrades = 0
    package var via: [Range<Int>] { rare?.via ?? [] }
    /// Runs of lines that are passed on.
    package private(set) var kept: [Range<Int>] = []
    private var run: Range<Int>?
    private var rare: Rare?
    private var count = 0

    /// What few heads have: an object, so that a copy of the facts of others counts one reference less for each. Only the initializer changes it.
    private final class Rare {
        var proxyAuthorizations: [Range<Int>] = []
        var via: [Range<Int>] = []
        /// Names in `Connection` of fields that are not passed on.
        var nominated: [Range<Int>] = []
    }

    /// What the fields belong to.
    enum Kind {
        case request
        case response
        /// 2xx to CONNECT. Its fields about a body are ignored (RFC 9110 section 9.3.6).
        case established
    }

    /// The facts of a head without fields.
    init(_ kind: Kind) { self.kind = kind }

    /// Reads the fields from `start` to the empty line at `end - 2`. Not an initializer, because one that throws returns a copy of a value this large.
    mutating func read(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(HeadDefect) {
        var index = start
        while index < end &- 2 {
            let field = try FieldLine(parsing: bytes, at: index)
            index = field.line.upperBound
            count &+= 1
            guard count <= (kind == .request ? HeadLimits.fields : HeadLimits.responseFields) else {
                throw .tooManyFields
            }
            if let known = KnownField(bytes, field.name) {
                if case .authorization = known { keep(field.line) }
                try note(known, field, bytes)
            } else {
                keep(field.line)
            }
        }
        if let run { kept.append(run) }
        if let nominated = rare?.nominated, !nominated.isEmpty { try drop(nominated, bytes) }
    }

    private mutating func rareFacts() -> Rare {
        let facts = rare ?? Rare()
        rare = facts
        return facts
    }

    @inline(__always)
    private mutating func keep(_ line: Range<Int>) {
        guard let run else {
            run = line
            return
        }
        if run.upperBound == line.lowerBound {
            self.run = run.lowerBound..<line.upperBound
        } else {
            kept.append(run)
            self.run = line
        }
    }

    private mutating func note(_ known: KnownField, _ field: FieldLine, _ bytes: Span<UInt8>) throws(HeadDefect) {
        switch known {
        case .authorization:
            hasAuthorization = true
            if !Self.isForOneRequest(field.value, bytes) { authorizesConnection = true }
        case .connection, .proxyConnection: try noteConnection(field.value, bytes)
        case .contentLength:
            if kind == .established { return }
            // Also equal ones: RFC 9112 section 6.3 lets a recipient refuse them, and no client needs them.
            guard length == nil else { throw .length }
            // Zeros before the number are legal, and no client sends so many of them.
            guard kind != .request || field.value.count <= HeadLimits.lengthDigits else { throw .length }
            length = try Self.length(field.value, bytes)
        case .transferEncoding:
            if kind == .established { return }
            guard !isChunked, !hasOtherCoding else { throw .coding }
            noteCoding(field.value, bytes)
        case .host:
            host = field.value
            hosts &+= 1
        case .expect:
            guard expectation == nil || kind != .request else { throw .expectation }
            expectation = field.value
        case .upgrade:
            upgrade = field.value
            upgrades &+= 1
        case .via: rareFacts().via.append(field.value)
        case .proxyAuthorization: rareFacts().proxyAuthorizations.append(field.value)
        case .proxySupport:
            hasProxySupport = true
            // The relay keeps its part of the promise: a connection that a client authenticates carries requests of this client only.
            if kind != .request { keep(field.line) }
        case .http2Settings, .keepAlive, .proxyAuthenticate, .proxyAuthenticationInfo, .te: break
        }
    }

    /// In responses, elements of the list may be empty (RFC 9110 section 5.6.1.2).
    private mutating func noteCoding(_ value: Range<Int>, _ bytes: Span<UInt8>) {
        if bytes.equals("chunked", in: value) { return isChunked = true }
        guard kind == .response else { return hasOtherCoding = true }
        bytes.forEachElement(in: value) { coding in
            if coding.isEmpty { return }
            if !isChunked, bytes.equals("chunked", in: coding) { isChunked = true } else { hasOtherCoding = true }
        }
    }

    /// Whether an answer is known to authenticate its request alone. NTLM and Negotiate authenticate the connection, and so do Kerberos
    /// and CredSSP of WinRM; a scheme that is not known may.
    private static func isForOneRequest(_ value: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        var end = value.lowerBound
        while end < value.upperBound, !bytes[end].isBlank { end &+= 1 }
        let scheme = value.lowerBound..<end
        return bytes.equals("basic", in: scheme) || bytes.equals("bearer", in: scheme)
            || bytes.equals("digest", in: scheme) || bytes.equals("dpop", in: scheme)
            || bytes.equals("token", in: scheme) || bytes.equals("oauth", in: scheme)
            || bytes.equals("aws4-hmac-sha256", in: scheme)
    }

    private mutating func noteConnection(_ value: Range<Int>, _ bytes: Span<UInt8>) throws(HeadDefect) {
        // The usual values, without a walk through a list.
        if bytes.equals("keep-alive", in: value) { return keepsAlive = true }
        if bytes.equals("close", in: value) { return closes = true }
        var framing = false
        bytes.forEachElement(in: value) { name in
            if name.isEmpty { return }
            if bytes.equals("close", in: name) {
                closes = true
            } else if bytes.equals("keep-alive", in: name) {
                keepsAlive = true
            } else if bytes.equals("upgrade", in: name) {
                nominatesUpgrade = true
            } else if let known = KnownField(bytes, name) {
                // The others are not passed on anyway.
                switch known {
                case .contentLength, .host, .transferEncoding: framing = true
                case .authorization: rareFacts().nominated.append(name)
                default: break
                }
            } else {
                rareFacts().nominated.append(name)
            }
        }
        // A response that names them, as old servers do, is read as if it did not. They are never passed on as they came.
        if framing, kind == .request { throw .framingNominated }
    }

    /// RFC 9110 section 7.6.1: what `Connection` names is for this connection only.
    private mutating func drop(_ nominated: [Range<Int>], _ bytes: Span<UInt8>) throws(HeadDefect) {
        // Names and fields fill a head, so comparing each with each would take a million comparisons.
        let many = nominated.count > Self.mostCompared ? Set(nominated.map { Self.lowercased($0, bytes) }) : []
        var lines: [Range<Int>] = []
        for run in kept {
            var index = run.lowerBound
            while index < run.upperBound {
                let field = try FieldLine(parsing: bytes, at: index)
                index = field.line.upperBound
                let isNominated =
                    many.isEmpty
                    ? nominated.contains { Self.isEqual(bytes, $0, field.name) }
                    : many.contains(Self.lowercased(field.name, bytes))
                if !isNominated { lines.append(field.line) }
            }
        }
        kept = lines
    }

    /// The most names in `Connection` that are compared with each field.
    private static let mostCompared = 8

    private static func lowercased(_ range: Range<Int>, _ bytes: Span<UInt8>) -> [UInt8] {
        range.map { bytes[$0].lowercased }
    }

    /// The values of the client's answers to a server.
    package func authorizations(in bytes: ByteBuffer) -> [Range<Int>] {
        let span = bytes.readableBytesUInt8Span
        guard hasAuthorization else { return [] }
        return lines(span).filter { span.equals("authorization", in: $0.name) }.map(\.value)
    }

    /// Does not pass on the client's answers to a server.
    package mutating func dropAuthorization(_ bytes: Span<UInt8>) {
        guard hasAuthorization else { return }
        kept = lines(bytes).filter { !bytes.equals("authorization", in: $0.name) }.map(\.line)
        (hasAuthorization, authorizesConnection) = (false, false)
    }

    /// The lines that are passed on.
    private func lines(_ bytes: Span<UInt8>) -> [FieldLine] {
        var lines: [FieldLine] = []
        for run in kept {
            var index = run.lowerBound
            while index < run.upperBound, let field = try? FieldLine(parsing: bytes, at: index) {
                index = field.line.upperBound
                lines.append(field)
            }
        }
        return lines
    }

    private static func isEqual(_ bytes: Span<UInt8>, _ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for offset in 0..<left.count
        where bytes[left.lowerBound + offset].lowercased != bytes[right.lowerBound + offset].lowercased {
            return false
        }
        return true
    }

    private static func length(_ range: Range<Int>, _ bytes: Span<UInt8>) throws(HeadDefect) -> Int {
        guard !range.isEmpty else { throw .length }
        var length = 0
        for index in range {
            guard bytes[index].isDigit else { throw .length }
            let (tens, isTooMuch) = length.multipliedReportingOverflow(by: 10)
            let (sum, isMore) = tens.addingReportingOverflow(Int(bytes[index] &- 0x30))
            guard !isTooMuch, !isMore else { throw .length }
            length = sum
        }
        return length
    }
}
