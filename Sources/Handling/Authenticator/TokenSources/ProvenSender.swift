package import OAuth
internal import Synchronization
package import TokenProofs

/// Sends the requests of one client to its token service, each with an assertion and a proof of its own.
package final class ProvenSender: Sendable {
    /// Makes a request of a client, which may have an assertion for this request alone.
    package typealias Making = @Sendable (OAuthClient) -> TokenRequest

    /// The key that tokens are bound to; `nil` for bearer tokens.
    package let key: ES256Key?
    private let keys: ClientKeys
    /// Makes proofs, with the nonce of the service.
    private let proofs: Mutex<ProofOfPossession?>
    private let clock: @Sendable () -> Int64
    private let send: OAuthTokenSource.Sender

    /// - Parameters:
    ///   - keys: sign assertions of the client, and proofs.
    ///   - clock: Unix time in seconds.
    ///   - send: sends a request to the service.
    package init(
        _ keys: ClientKeys,
        clock: @escaping @Sendable () -> Int64,
        send: @escaping OAuthTokenSource.Sender
    ) {
        (self.keys, self.clock, self.send, key) = (keys, clock, send, keys.proof)
        proofs = Mutex(keys.proof.map { ProofOfPossession($0) })
    }

    /// The response to a request; it is sent again if the service first wants its nonce in the proof, which it checks before the grant (RFC 9449
    /// section 8).
    package func answer(by client: OAuthClient, _ make: Making) async throws -> TokenResponse {
        let request = signed(client, make)
        let response = try await send(request)
        let wantsAgain = proofs.withLock { $0?.wantsAgain(response, from: request.url.origin) == true }
        return wantsAgain ? try await send(signed(client, make)) : response
    }

    private func signed(_ client: OAuthClient, _ make: Making) -> TokenRequest {
        let now = clock()
        let plain = make(client)
        let request = keys.assertion == nil ? plain : make(keys.asserting(client, to: plain.url, at: now))
        return proofs.withLock { $0?.request(request, at: now) } ?? request
    }
}
