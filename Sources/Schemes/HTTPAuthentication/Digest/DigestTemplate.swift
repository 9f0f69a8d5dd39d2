internal import Secrets
internal import WireFormat

/// The parts that all answers with one nonce share, written once.
///
/// An answer is then two hashes, and copies of ready text around what changes:
///
///     message of KD   H(A1) ":" nonce ":" nc ":" cnonce ":" qop ":" H(A2)
///     field value     head, uri, and a tail with response and nc in it
///
/// The digits of H(A1) are in `message` only while an answer is made.
struct DigestTemplate: Sendable {
    let terms: DigestTerms
    var challenge: DigestChallenge { terms.challenge }
    private var message: [UInt8]
    /// Where `nc` lies in `message`, and how many bytes before the end of the value.
    private let countOffset: Int
    private let countFromEnd: Int
    /// `", response="…", algorithm=…, opaque="…", qop=auth, nc=…, cnonce="…"`
    private let tail: [UInt8]
    /// Where the digits of `response` lie, in bytes before the end of the value.
    private let responseFromEnd: Int
    private var a2: [UInt8] = []
    /// The value, whose head stays: `Digest username="…", realm="…", nonce="…", uri="`
    private var text: [UInt8]
    private let headCount: Int

    private static let countDigits = 8

    init(
        _ challenge: DigestChallenge,
        user: String,
        key: DigestKey,
        clientNonce: String
    ) throws(ExchangeFailure) {
        terms = DigestTerms(challenge, key: key, clientNonce: clientNonce)
        let quality = challenge.quality.token
        let count = "00000000"
        assert(count.utf8.count == Self.countDigits)
        var head = Array("Digest ".utf8)
        try append(user: user, of: challenge, to: &head)
        try append(", realm", quoted: challenge.realm, to: &head, orThrow: .malformedChallenge)
        try append(", nonce", quoted: challenge.nonce, to: &head, orThrow: .malformedChallenge)
        head.append(contentsOf: ", uri=\"".utf8)
        text = head
        headCount = head.count

        let digitCount = challenge.algorithm.hash.digitCount
        let blank = [UInt8](repeating: 0, count: digitCount)
        var tail = Array("\", response=\"".utf8) + blank
        let afterResponse = tail.count
        tail.append(contentsOf: "\", algorithm=".utf8)
        tail.append(contentsOf: challenge.algorithm.name.utf8)
        if let opaque = challenge.opaque {
            try append(", opaque", quoted: opaque, to: &tail, orThrow: .malformedChallenge)
        }
        if let quality {
            tail.append(contentsOf: ", qop=".utf8)
            tail.append(contentsOf: quality.utf8)
            tail.append(contentsOf: ", nc=\(count)".utf8)
        }
        let afterCount = tail.count
        if quality != nil { try append(", cnonce", quoted: clientNonce, to: &tail, orThrow: .malformedChallenge) }
        if challenge.wantsUserHash { tail.append(contentsOf: ", userhash=true".utf8) }
        self.tail = tail
        countFromEnd = tail.count - afterCount + Self.countDigits
        responseFromEnd = tail.count - afterResponse + digitCount

        var message = blank + [colon]
        challenge.encoding.append(challenge.nonce, to: &message)
        message.append(colon)
        countOffset = message.count
        if let quality { message.append(contentsOf: "\(count):\(clientNonce):\(quality):".utf8) }
        self.message = message + blank
    }

    /// The answer for one request.
    ///
    /// - Complexity: two hashes, and one of the body for `auth-int`; one allocation, for the value.
    // Not inlined, so that the compiler does not see where `message` is freed and remove the stores that erase it.
    @inline(never)
    mutating func answer(
        method: String,
        target: String,
        body: ExchangeBody,
        nonceCount: UInt32
    ) throws(ExchangeFailure) -> DigestAnswer {
        let hash = challenge.algorithm.hash
        try writeA2(method: method, target: target, body: body)
        let hashedA2 = message.count - hash.digitCount
        hash.writeDigits(of: a2, to: &message, at: hashedA2)
        if challenge.quality.hasCounter { Self.write(nonceCount, to: &message, at: countOffset) }

        text.removeLast(text.count - headCount)
        try append(target: target, to: &text, challenge.encoding)
        text.append(contentsOf: tail)
        Self.write(terms.key, to: &message)
        hash.writeDigits(of: message, to: &text, at: text.count - responseFromEnd)
        Self.eraseKey(of: hash.digitCount, in: &message)
        let count = text.count - countFromEnd
        if challenge.quality.hasCounter { Self.write(nonceCount, to: &text, at: count) }

        let value = AuthorizationValue(String(decoding: text, as: UTF8.self), encoding: challenge.encoding)
        return DigestAnswer(value: value, proof: DigestProof(terms: terms, nonceCount: nonceCount, target: target))
    }

    /// Method and target, for auth-int also the hash of the body (section 3.4.3).
    private mutating func writeA2(method: String, target: String, body: ExchangeBody) throws(ExchangeFailure) {
        a2.removeAll(keepingCapacity: true)
        a2.append(copying: method.utf8.span)
        a2.append(colon)
        a2.append(copying: target.utf8.span)
        guard challenge.quality.coversBody else { return }
        guard let digits = challenge.algorithm.hash.digits(ofBody: body) else { throw .bodyNotAvailable }
        a2.append(colon)
        a2.append(contentsOf: digits)
    }

    /// Puts the digits of H(A1) at the start.
    private static func write(_ key: DigestKey, to message: inout [UInt8]) {
        key.digits.withBytes { digits in
            var target = message.mutableSpan
            for index in digits.indices { target[index] = digits[index] }
        }
    }

    private static func eraseKey(of count: Int, in message: inout [UInt8]) {
        var target = message.mutableSpan
        for index in 0..<count { target[index] = 0 }
    }

    /// Eight hexadecimal digits (section 3.4).
    private static func write(_ nonceCount: UInt32, to text: inout [UInt8], at offset: Int) {
        var span = text.mutableSpan
        var bytes = unsafe span.mutableBytes
        bytes.storeBytes(of: hexadecimalDigits(of: nonceCount), toByteOffset: offset, as: UInt64.self)
    }
}

extension DigestHash {
    /// The digits of the hash of a body; `nil` if the caller does not have it.
    func digits(ofBody body: ExchangeBody) -> [UInt8]? {
        switch body {
        case .none: digits(of: [UInt8]().span)
        case .bytes(let bytes): digits(of: bytes.span)
        case .notAvailable: nil
        }
    }
}
