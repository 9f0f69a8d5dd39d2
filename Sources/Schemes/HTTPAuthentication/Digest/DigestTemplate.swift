internal import Secrets
internal import WireFormat

/// The parts that all answers with one nonce share, written once.
///
/// An answer is then two hashes, and copies of ready text around what changes:
///
///     message of KD   H(A1) ":" nonce ":" nc ":" cnonce ":" qop ":" H(A2)
///     field value     head, uri, response, tail with nc in it
///
/// The digits of H(A1) are in `message` only while an answer is made.
struct DigestTemplate: Sendable {
    let challenge: DigestChallenge
    let key: DigestKey
    let clientNonce: String
    private var message: [UInt8]
    /// Where `nc` lies in `message`, and how many bytes before the end of the value.
    private let countOffset: Int
    private let countFromEnd: Int
    /// `Digest username="…", realm="…", nonce="…", uri="`
    private let head: [UInt8]
    /// `", response="` with room for the digits.
    private let blankResponse: [UInt8]
    /// `", algorithm=…, opaque="…", qop=auth, nc=…, cnonce="…"`
    private let tail: [UInt8]
    /// A2, and after it the value.
    private var text: [UInt8] = []

    private static let countDigits = 8

    init(
        _ challenge: DigestChallenge,
        user: String,
        key: DigestKey,
        clientNonce: String
    ) throws(ExchangeFailure) {
        self.challenge = challenge
        self.key = key
        self.clientNonce = clientNonce

        let quality = challenge.quality.token
        let count = "00000000"
        assert(count.utf8.count == Self.countDigits)
        var head = Array("Digest ".utf8)
        try append(user: user, of: challenge, to: &head)
        try append(", realm", quoted: challenge.realm, to: &head, orThrow: .malformedChallenge)
        try append(", nonce", quoted: challenge.nonce, to: &head, orThrow: .malformedChallenge)
        head.append(contentsOf: ", uri=\"".utf8)
        self.head = head

        var tail = Array("\", algorithm=".utf8)
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

        let digitCount = challenge.algorithm.hash.digitCount
        let blank = [UInt8](repeating: 0, count: digitCount)
        blankResponse = Array("\", response=\"".utf8) + blank
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
        hash.writeDigits(of: text, to: &message, at: hashedA2)
        if challenge.quality.hasCounter { Self.write(nonceCount, to: &message, at: countOffset) }

        text.removeAll(keepingCapacity: true)
        text.append(contentsOf: head)
        try append(target: target, to: &text, challenge.encoding)
        text.append(contentsOf: blankResponse)
        let response = text.count - hash.digitCount
        Self.write(key, to: &message)
        hash.writeDigits(of: message, to: &text, at: response)
        Self.eraseKey(of: hash.digitCount, in: &message)
        text.append(contentsOf: tail)
        let count = text.count - countFromEnd
        if challenge.quality.hasCounter { Self.write(nonceCount, to: &text, at: count) }

        let value = AuthorizationValue(String(decoding: text, as: UTF8.self), encoding: challenge.encoding)
        return DigestAnswer(value: value, proof: proof(target, nonceCount))
    }

    private func proof(_ target: String, _ nonceCount: UInt32) -> DigestProof {
        DigestProof(
            hash: challenge.algorithm.hash,
            key: key,
            nonce: challenge.nonce,
            encoding: challenge.encoding,
            quality: challenge.quality,
            clientNonce: clientNonce,
            nonceCount: nonceCount,
            target: target
        )
    }

    /// Method and target, for auth-int also the hash of the body (section 3.4.3).
    private mutating func writeA2(method: String, target: String, body: ExchangeBody) throws(ExchangeFailure) {
        text.removeAll(keepingCapacity: true)
        text.append(copying: method.utf8.span)
        text.append(colon)
        text.append(copying: target.utf8.span)
        guard challenge.quality.coversBody else { return }
        guard let digits = challenge.algorithm.hash.digits(ofBody: body) else { throw .bodyNotAvailable }
        text.append(colon)
        text.append(contentsOf: digits)
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
        for index in 0..<countDigits {
            let shift = UInt32(4 * (countDigits - 1 - index))
            text[offset + index] = hexadecimalDigit(UInt8(truncatingIfNeeded: nonceCount >> shift) & 15)
        }
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
