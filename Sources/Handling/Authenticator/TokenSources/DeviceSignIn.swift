internal import ChallengeHandling
internal import HTTPAuthentication
public import OAuth
internal import WireFormat

extension DeviceAuthorization {
    /// Signs a user in who has a browser on another device (RFC 8628), and waits until the user has decided or the code has ended.
    ///
    /// A question that gets no response, one of a service in trouble, or one without a code that ends the sign-in, is asked again after a
    /// longer pause (RFC 8628 section 3.5), until the code ends. Of responses that cannot be read, `TokenLimits.unreadableResponses` in a
    /// row end the sign-in.
    ///
    /// - Parameters:
    ///   - client: the application.
    ///   - endpoint: the device authorization endpoint of the service.
    ///   - wish: what the token is for.
    ///   - keys: sign an assertion of the client for each request, and a proof for each one of a token.
    ///   - show: shows page and code to the user.
    ///   - send: sends a request to the service.
    ///   - notice: gets one sentence after the first response that cannot be read.
    /// - Throws: `TokenServiceError`, `CancellationError`, what `show` throws, or what the sender throws for the first request.
    public static func signIn(
        _ client: OAuthClient,
        at endpoint: ServiceURL,
        _ wish: OAuthClient.Wish = OAuthClient.Wish(),
        keys: ClientKeys = ClientKeys(),
        send: @escaping OAuthTokenSource.Sender,
        notice: @Sendable (String) async throws -> Void = { _ in },
        show: @Sendable (DeviceAuthorization) async throws -> Void
    ) async throws -> TokenGrant {
        try await signIn(
            client,
            at: endpoint,
            wish,
            keys: keys,
            send: send,
            clock: { SystemClock.unixSeconds },
            sleep: { try await Task.sleep(for: .seconds($0)) },
            notice: notice,
            show: show
        )
    }

    /// The same with another clock.
    static func signIn(
        _ client: OAuthClient,
        at endpoint: ServiceURL,
        _ wish: OAuthClient.Wish,
        keys: ClientKeys = ClientKeys(),
        send: @escaping OAuthTokenSource.Sender,
        clock: @escaping @Sendable () -> Int64,
        sleep: @Sendable (Int64) async throws -> Void,
        notice: @Sendable (String) async throws -> Void = { _ in },
        show: @Sendable (DeviceAuthorization) async throws -> Void
    ) async throws -> TokenGrant {
        let response = try await send(
            request(for: keys.asserting(client, to: endpoint, at: clock()), at: endpoint, wish)
        )
        var authorization = try DeviceAuthorization(response, for: client, at: clock())
        try await show(authorization)
        let sender = ProvenSender(keys, clock: clock, send: send)
        var pause: Int64 = 0
        var hasNoticed = false
        while true {
            try await sleep(authorization.wait(pause, at: clock()))
            let now = clock()
            guard now < authorization.expiry else { throw authorization.ended }
            var step = DeviceAuthorization.Step.retry
            do {
                let response = try await sender.answer(by: client) { [authorization] in
                    authorization.tokenRequest(by: $0)
                }
                step = try authorization.received(response, at: now)
            } catch let error as TokenServiceError {
                throw error
            } catch let error as CancellationError {
                throw error
            } catch {
                // The network is away; the code is still good.
                authorization.noteFailure(error)
            }
            if case .retry = step, !hasNoticed, let seen = authorization.firstUnreadable {
                hasNoticed = true
                try await notice(
                    "the token service answers with \(seen), which cannot be read: it is asked again, at most "
                        + "\(TokenLimits.unreadableResponses) times in a row"
                )
            }
            switch step {
            case .granted(let grant): return grant
            case .wait: pause = 0
            case .retry: pause = min(max(1, pause * 2), TokenLimits.longestDeviceInterval)
            }
        }
    }
}
