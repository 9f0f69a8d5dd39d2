internal import Dispatch
internal import SPKIPins
internal import Sallyport
internal import WireFormat

#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension AuthenticationController {
    /// Whether a challenge in `space` would be handled: the site is allowed, the method is supported, and there is a credential.
    ///
    /// The call changes no state, and need not come before the others, which check more: they know the response.
    ///
    /// - Parameters:
    ///   - space: a protection space as the system delivers it.
    ///   - path: the path of the request, if rules of the profile have paths.
    public func canHandle(_ space: URLProtectionSpace, path: String = "/") -> Bool {
        obstacle(in: space, path: path) == nil
    }

    /// Why a challenge in `space` would not be handled; `nil` if it would be.
    ///
    /// - Parameters:
    ///   - space: a protection space as the system delivers it.
    ///   - path: the path of the request, if rules of the profile have paths.
    public func obstacle(in space: URLProtectionSpace, path: String = "/") -> SessionObstacle? {
        do throws(SessionObstacle) {
            let challenged = try ChallengedSpace(space)
            let handler = current.handler
            switch challenged.method {
            case .serverTrust:
                guard system.trust != nil else { throw .unsupportedMethod(space.authenticationMethod) }
                return handler.hasPins(for: challenged.origin.host) ? nil : .notPinned(host: space.host)
            case .clientCertificate:
                _ = try identityCredential(handler, challenged, authorities: space.authorities)
            case .http(let scheme):
                let ours = ProtectionSpace(
                    origin: challenged.origin,
                    path: challenged.party == .proxy ? "/" : path,
                    kind: .http(schemes: [scheme], party: challenged.party)
                )
                if case .no(let refusal) = handler.canHandle(ours) { throw .refused(refusal) }
                if let account = handler.account(for: ours) { _ = try Self.passwordCredential(account, scheme) }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Answers a challenge of `NSURLConnection`, through its sender, or of other code that sets a sender.
    ///
    /// For a server with pins, the system evaluates it before this returns, on the calling thread.
    ///
    /// - Parameter challenge: a challenge with a sender. For the challenges of URLSession and of web views this returns `false`, because
    ///   their sender takes no answers.
    /// - Returns: whether the sender was called. If not, answer the challenge yourself.
    public func handle(_ challenge: URLAuthenticationChallenge) -> Bool {
        guard let sender = challenge.sender, ChallengeSender.takesAnswers(sender) else { return false }
        switch disposition(of: challenge) {
        case .useCredential(let credential): sender.use(credential, for: challenge)
        case .cancel: sender.cancel(challenge)
        case .performDefaultHandling, .rejectProtectionSpace, .continueWithoutCredential: return false
        }
        return true
    }

    /// Answers a challenge of URLSession or of a web view.
    ///
    /// The system evaluates a server with pins on a thread of its own, because that may ask the network. Then this returns `true` at once, and
    /// the completion handler gets what comes of it, which may be the default handling.
    ///
    /// - Parameters:
    ///   - challenge: the challenge as the delegate gets it.
    ///   - completionHandler: called once if this returns `true`, before or after it returns and on any thread; never called
    ///     otherwise.
    /// - Returns: whether the challenge is handled. If not, call the completion handler yourself.
    public func handleChallenge(
        forURLSessionChallenge challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) -> Bool {
        if isEvaluatedBySystem(challenge) {
            answerLater(challenge, completionHandler)
            return true
        }
        let disposition = disposition(of: challenge)
        switch disposition {
        case .useCredential, .cancel:
            let (answer, credential) = disposition.systemAnswer
            completionHandler(answer, credential)
            return true
        case .performDefaultHandling, .rejectProtectionSpace, .continueWithoutCredential: return false
        }
    }

    /// Answers a challenge in every case; for code that has no other answers than the controller's.
    func answer(
        _ challenge: URLAuthenticationChallenge,
        _ completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard !isEvaluatedBySystem(challenge) else { return answerLater(challenge, completionHandler) }
        let (answer, credential) = disposition(of: challenge).systemAnswer
        completionHandler(answer, credential)
    }

    /// What to do about a challenge; for code that has no other answers than the controller's.
    ///
    /// For a server with pins, the system evaluates it before this returns, which may take as long as the network does. So do not call it on
    /// the main thread for such a challenge; ``handleChallenge(forURLSessionChallenge:completionHandler:)`` does not wait.
    ///
    /// A challenge after a failure records that the server refused the password, if the system got it from here. The same password is
    /// not given out for that server again until ``updateUserCredentials()``.
    ///
    /// - Parameter challenge: the challenge as the system delivers it.
    public func disposition(of challenge: URLAuthenticationChallenge) -> SessionDisposition {
        do throws(SessionObstacle) {
            let handler = current.handler
            let space = try ChallengedSpace(challenge.protectionSpace)
            switch space.method {
            case .serverTrust: return try trustDisposition(handler, challenge, space)
            case .clientCertificate:
                guard challenge.previousFailureCount == 0 else {
                    throw .identityRefused(host: challenge.protectionSpace.host)
                }
                let authorities = challenge.protectionSpace.authorities
                return .useCredential(try identityCredential(handler, space, authorities: authorities))
            case .http(let scheme): return .useCredential(try passwordCredential(handler, challenge, space, scheme))
            }
        } catch {
            return switch error {
            case .unsupportedMethod: .performDefaultHandling
            case .weakerScheme, .refused(.noSupportedScheme): .rejectProtectionSpace(error)
            default: .continueWithoutCredential(error)
            }
        }
    }

    // MARK: - Private

    /// Where the system evaluates servers, each on its thread: none waits for another, nor the queue of a session's delegate for one.
    private static let evaluations = DispatchQueue(label: "org.sallyport.server-trust", attributes: .concurrent)

    private func isEvaluatedBySystem(_ challenge: URLAuthenticationChallenge) -> Bool {
        guard system.trust != nil, let space = try? ChallengedSpace(challenge.protectionSpace),
            case .serverTrust = space.method
        else { return false }
        return current.handler.hasPins(for: space.origin.host)
    }

    private func answerLater(
        _ challenge: URLAuthenticationChallenge,
        _ completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        Self.evaluations.async { [self] in
            let (answer, credential) = disposition(of: challenge).systemAnswer
            completionHandler(answer, credential)
        }
    }

    private func passwordCredential(
        _ handler: ChallengeHandler,
        _ challenge: URLAuthenticationChallenge,
        _ space: ChallengedSpace,
        _ scheme: AuthenticationScheme
    ) throws(SessionObstacle) -> URLCredential {
        let (request, fields) = try space.request(challenge.failureResponse)
        if challenge.previousFailureCount > 0, let account = handler.preparedAccount(for: request),
            handedOut.removeUse(request, account)
        {
            account.wasRefused(by: request)
            throw .refused(.credentialsRefused(account: account.account.name))
        }
        switch handler.systemAnswer(to: request, fields: fields, with: scheme) {
        case .refuse(let refusal): throw .refused(refusal)
        case .stronger(let offered): throw .weakerScheme(chosen: scheme, offered: offered)
        case .send(let account):
            let credential = try Self.passwordCredential(account.account, scheme)
            handedOut.add(request, account)
            return credential
        }
    }

    private static func passwordCredential(
        _ account: Account,
        _ scheme: AuthenticationScheme
    ) throws(SessionObstacle) -> URLCredential {
        let password = account.credential.password?.withBytes { bytes in
            // In bounds: the buffer is the span's own.
            unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
        }
        guard let password else { throw .noSystemCredential(name: account.name) }
        var user = account.qualifiedUser
        if scheme == .ntlm || scheme == .negotiate, let domain = account.domain, !domain.isEmpty {
            user = "\(domain)\\\(account.user)"
        }
        // Not kept by the system, so that a change of the profile counts for the next challenge.
        return URLCredential(user: user, password: password, persistence: .none)
    }

    private func identityCredential(
        _ handler: ChallengeHandler,
        _ space: ChallengedSpace,
        authorities: [[UInt8]]
    ) throws(SessionObstacle) -> URLCredential {
        guard space.party == .origin else { throw .refused(.noCredential) }
        switch handler.identity(for: space.origin, authorities: authorities, now: SystemClock.unixSeconds) {
        case .withhold(let refusal): throw .refused(refusal)
        case .present(let identity):
            guard let credential = system.identity?(identity) else { throw .noSystemCredential(name: identity.name) }
            return credential
        }
    }

    private func trustDisposition(
        _ handler: ChallengeHandler,
        _ challenge: URLAuthenticationChallenge,
        _ space: ChallengedSpace
    ) throws(SessionObstacle) -> SessionDisposition {
        guard let trust = system.trust else { throw .unsupportedMethod(challenge.protectionSpace.authenticationMethod) }
        guard handler.hasPins(for: space.origin.host) else { return .performDefaultHandling }
        guard let server = trust(challenge, space.origin.host) else { return .cancel(.refused(.chainNotValidated)) }
        return switch handler.evaluate(server.trust, now: SystemClock.unixSeconds) {
        case .trusted: .useCredential(server.credential)
        case .validatedOnly: .performDefaultHandling
        case .rejected(let refusal): .cancel(.refused(refusal))
        }
    }
}

extension URLProtectionSpace {
    /// The DER Names of the authorities whose certificates the server accepts; empty for any.
    fileprivate var authorities: [[UInt8]] {
        #if canImport(FoundationNetworking)
            []  // Linux Foundation does not say.
        #else
            (distinguishedNames ?? []).map { [UInt8]($0) }
        #endif
    }
}
