internal import HTTPAuthentication

/// A client's Digest answer (RFC 7616 section 3.4).
struct DigestCredentials {
    let name: String
    let realm: String
    let nonce: String
    /// The target that the client has signed.
    let target: String
    let response: String
    let clientNonce: String
    let count: UInt32
    /// The digits of ``count`` as the client wrote them, because they are signed.
    let countDigits: String
    let hash: DigestHash

    /// The most bytes of the client's nonce.
    private static let maximumClientNonceBytes = 256

    /// Reads an answer; `nil` if it is not one to our challenges, which always have `qop=auth`.
    init?(_ answer: Challenge) {
        guard answer.token68 == nil, let realm = answer["realm"], let nonce = answer["nonce"],
            let target = answer["uri"],
            let response = answer["response"], let clientNonce = answer["cnonce"], let countDigits = answer["nc"],
            answer["qop"]?.lowercased() == "auth", answer["userhash"]?.lowercased() != "true",
            let hash = DigestHash(offeredName: answer["algorithm"] ?? "MD5"), let name = Self.name(answer),
            countDigits.utf8.count == 8, let count = UInt32(countDigits, radix: 16), count > 0,
            countDigits.first != "+",
            (1...Self.maximumClientNonceBytes).contains(clientNonce.utf8.count)
        else { return nil }
        (self.name, self.realm, self.nonce, self.target, self.response) = (name, realm, nonce, target, response)
        (self.clientNonce, self.count, self.countDigits, self.hash) = (clientNonce, count, countDigits, hash)
    }

    /// `username`, or `username*` in UTF-8 (RFC 8187).
    private static func name(_ answer: Challenge) -> String? {
        switch (answer["username"], answer["username*"]) {
        case (let plain?, nil): return plain
        case (nil, let extended?):
            let prefix = "utf-8''"
            guard extended.lowercased().hasPrefix(prefix) else { return nil }
            return percentDecoded(extended.dropFirst(prefix.count))
        default: return nil
        }
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.first != UInt8(ascii: "+"),
                let value = UInt8(String(Substring(digits)), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The scheme that offers the algorithm.
    ///
    /// SHA-512/256 is not offered.
    var scheme: ClientScheme? {
        switch hash {
        case .md5: .digestMD5
        case .sha256: .digestSHA256
        case .sha512t256: nil
        }
    }

    /// Whether the client has signed the request's target. In the absolute form the path alone may be signed.
    ///
    /// The bytes are compared: strings with the same characters are equal also if their bytes differ, but servers serve bytes.
    func covers(_ requested: String) -> Bool {
        if target.utf8.elementsEqual(requested.utf8) { return true }
        guard requested.utf8.first != UInt8(ascii: "/"), let scheme = requested.firstRange(of: "://") else {
            return false
        }
        let rest = requested[scheme.upperBound...]
        guard let path = rest.firstIndex(of: "/") else { return target == "/" }
        return rest[path...].utf8.elementsEqual(target.utf8)
    }
}
