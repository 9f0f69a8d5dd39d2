public import Hostnames
public import OAuth
public import Secrets
internal import WireFormat

/// Shows tokens together with proofs that the client has a key (RFC 9449, DPoP): a token that was stolen is of no use without the key.
///
/// It remembers the nonce of each party. Use one for each account, from one place at a time.
///
/// ```swift
/// var proofs = ProofOfPossession(key)
/// let request = proofs.request(client.clientCredentials(), at: now)
/// let response = try await send(request)
/// if proofs.wantsAgain(response, from: request.url.origin) { … }  // once, with another proof
/// let fields = proofs.fields(for: token, method: "GET", origin: origin, target: "/items", at: now)
/// ```
public struct ProofOfPossession: Sendable {
    /// The field that carries a proof.
    public static let field = "DPoP"
    /// The field that carries the nonce for the next proof.
    public static let nonceField = "DPoP-Nonce"

    /// The key that tokens are bound to.
    public let key: ES256Key
    private var nonces = ProofNonces()

    /// Takes the key.
    public init(_ key: ES256Key) { self.key = key }

    /// A request to a token service with a proof (RFC 9449 section 5). Each request needs another proof.
    public func request(_ request: TokenRequest, at now: Int64) -> TokenRequest {
        let proof = proof(request.method.rawValue, request.url.origin, request.url.path, nil, at: now)
        return request.with(TokenRequest.Field(name: Self.field, value: proof))
    }

    /// The fields of a request to a resource (RFC 9449 section 7).
    ///
    /// - Parameters:
    ///   - token: a token of the kind `dpop`.
    ///   - method: the request method.
    ///   - origin: scheme, host and port.
    ///   - target: path and query.
    ///   - now: Unix time in seconds.
    public func fields(
        for token: AccessToken,
        method: String,
        origin: Origin,
        target: String,
        at now: Int64
    ) -> (authorization: SharedSecret, proof: String) {
        let path = String(target.prefix { $0 != "?" && $0 != "#" })
        let value = token.secret.withBytes { bytes in
            var text: [UInt8] = []
            // Full capacity from the start, because growth would leave a copy of the token in freed memory.
            text.reserveCapacity(5 + bytes.count)
            defer { erase(&text) }
            text.append(contentsOf: "DPoP ".utf8)
            for index in bytes.indices { text.append(bytes[index]) }
            return SharedSecret(SecretBytes(copying: text.span))
        }
        return (value, proof(method, origin, path, token.secret, at: now))
    }

    /// Takes the nonce of a response, also of a success, for the next proof to this party (RFC 9449 section 8.2).
    ///
    /// - Returns: whether the nonce is another one. A nonce that is too long, or has other characters than a nonce may have, is ignored.
    @discardableResult
    public mutating func received(nonce: String?, from origin: Origin) -> Bool {
        nonces.received(nonce, from: origin)
    }

    /// Whether a response of a token service asks for the same request with its nonce (RFC 9449 section 8). Ask once for each request.
    public mutating func wantsAgain(_ response: TokenResponse, from origin: Origin) -> Bool {
        guard received(nonce: response.nonce, from: origin), response.status == 400 else { return false }
        return OAuthClient.refusal(in: response)?.code == .useDPoPNonce
    }

    private func proof(_ method: String, _ origin: Origin, _ path: String, _ token: SharedSecret?, at now: Int64)
        -> String
    {
        key.proof(method, origin, path, token, nonce: nonces[origin], at: now)
    }
}

extension TokenProver {
    /// Makes proofs with a key, each at the time of its request by the system's clock.
    public convenience init(_ key: ES256Key) {
        self.init(thumbprint: key.thumbprint) { subject in
            key.proof(
                subject.method,
                subject.origin,
                subject.path,
                subject.token,
                nonce: subject.nonce,
                at: SystemClock.unixSeconds
            )
        }
    }
}

extension ES256Key {
    /// A proof of possession (RFC 9449 section 4.2).
    ///
    /// - Parameters:
    ///   - method: the request method.
    ///   - origin: scheme, host and port of the party.
    ///   - path: the path without the query.
    ///   - token: the token that the request carries; `nil` for a request to a token service.
    ///   - nonce: the nonce that the party has sent last; `nil` if it has sent none.
    ///   - now: Unix time in seconds.
    fileprivate func proof(
        _ method: String,
        _ origin: Origin,
        _ path: String,
        _ token: SharedSecret?,
        nonce: String?,
        at now: Int64
    ) -> String {
        let (method, place) = (JSONText.quoted(method), JSONText.quoted("\(origin)\(path)"))
        var payload = #"{"jti":"\#(RandomBytes.text(16))","htm":\#(method),"htu":\#(place),"iat":\#(now)"#
        // A nonce has no character that JSON escapes.
        if let nonce { payload += #","nonce":"\#(nonce)""# }
        if let token { payload += #","ath":"\#(token.withBytes { Base64URL.digest($0) })""# }
        return sign(
            header: #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(publicKey)}"#,
            payload: payload + "}"
        )
    }
}

extension TokenRequest {
    /// The request with another field.
    func with(_ field: Field) -> TokenRequest {
        TokenRequest(self, fields: fields.filter { $0.name != field.name } + [field])
    }
}
