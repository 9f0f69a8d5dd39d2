internal import Credentials
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import NTLM

extension ChallengeHandler {
    /// Why `scheme` may not answer here, whatever its challenge says.
    func obstacle(
        to scheme: AnswerableScheme,
        _ request: ChallengedRequest,
        _ prepared: PreparedAccount,
        _ response: Response
    ) -> Refusal? {
        if let refusal = cleartextRefusal(scheme, request.origin, prepared) { return refusal }
        // A proxy that reads the request reads the secret too. Without TLS every host on the path does.
        let isRead = request.isThroughPlainProxy || response.connection.security == ConnectionTraits.Security.none
        if scheme.showsSecret, isRead, !prepared.assignment.allowsCleartext {
            return .cleartext(account: prepared.account.name, scheme.name)
        }
        guard scheme.isConnectionBound else { return nil }
        guard response.connection.canPin else { return .connectionShared(scheme.name) }
        return lacksSessions(request, response.fields) ? .proxyWithoutSessions(scheme.name) : nil
    }

    /// Whether the proxy before the origin may send requests of other clients on the authenticated connection.
    private func lacksSessions(_ request: ChallengedRequest, _ fields: HTTPFields) -> Bool {
        request.isThroughPlainProxy && !fields.keepsSessions
    }

    /// Refuses a scheme that would show the secret to everyone on the path.
    func cleartextRefusal(_ scheme: AnswerableScheme, _ origin: Origin, _ prepared: PreparedAccount) -> Refusal? {
        guard scheme.showsSecret, origin.scheme == .http, !prepared.assignment.allowsCleartext else { return nil }
        return .cleartext(account: prepared.account.name, scheme.name)
    }

    /// Refuses an offer whose strongest scheme is weaker than what the party offered before.
    ///
    /// Where a connection cannot be authenticated, the schemes for one request are compared: an offer of NTLM that nothing can
    /// answer must not cover a Digest that was replaced by Basic. A proxy that does not keep sessions makes NTLM's offer void; the
    /// field that says so can be removed on the path.
    func downgrade(
        _ request: ChallengedRequest,
        _ prepared: PreparedAccount,
        _ choice: SchemeChoice,
        _ chosen: Result<Int, Refusal>,
        _ fields: HTTPFields
    ) -> Refusal? {
        let offered = choice.strongestOffered { $0.isConnectionBound && lacksSessions(request, fields) }
        guard offered.any >= 0 else { return nil }
        let before = offers.record(request.partyHash, offered)
        var isWeaker = before.any > offered.any
        if case .success(let index) = chosen, !choice.schemes[index].isConnectionBound {
            isWeaker = isWeaker || before.single > offered.single
        }
        guard isWeaker, !prepared.assignment.allowsDowngrade else { return nil }
        return .downgraded(account: prepared.account.name)
    }

    /// The channel binding for an answer of `scheme`, and its description for the caller.
    func channelBinding(
        for scheme: AnswerableScheme,
        _ request: ChallengedRequest,
        _ connection: ConnectionTraits
    ) -> (ChannelBindings?, ChannelBindingUse) {
        guard scheme.bindsChannel else { return (nil, .notApplicable) }
        var certificate = request.serverCertificate
        if let leaf = connection.leaf(of: request) { certificate = leaf }
        guard let certificate else {
            let isToParty = !request.isThroughPlainProxy && connection.security.map { $0 != .none } ?? false
            let hasTLS = request.origin.scheme == .https || isToParty
            return (nil, hasTLS ? .unbound(.noCertificate) : .notApplicable)
        }
        do throws(ChannelBindingUse.Gap) {
            return (try ServerEndPoint.binding(certificate: certificate), .bound)
        } catch {
            return (nil, .unbound(error))
        }
    }
}

extension PreparedAccount {
    /// Whether an answer may go out without channel binding.
    ///
    /// Some signatures have no binding (RFC 5929 section 4.1), and a connection may say that its leaf is not known. A leaf
    /// that was forgotten or cannot be read is an error of the caller.
    func mayStayUnbound(_ gap: ChannelBindingUse.Gap, _ connection: ConnectionTraits) -> Bool {
        switch gap {
        case .noSignatureHash: true
        case .noCertificate: assignment.allowsUnbound || connection.security == .unknownLeaf
        case .unreadableCertificate: assignment.allowsUnbound
        }
    }
}

extension ConnectionTraits {
    /// The leaf certificate of the party of `request`; `nil` if none is known.
    ///
    /// The connection of a request that a proxy reads ends at the proxy, and its TLS does not authenticate the origin.
    func leaf(of request: ChallengedRequest) -> [UInt8]? {
        guard case .leaf(let leaf)? = security, !request.isThroughPlainProxy else { return nil }
        return leaf
    }
}

extension HTTPFields {
    /// Whether a proxy says that it keeps the connections of clients apart (RFC 4559 section 6).
    fileprivate var keepsSessions: Bool {
        guard let name = HTTPField.Name("Proxy-Support"), let value = self[name] else { return false }
        return value.split(separator: ",").contains { part in
            part.filter { $0 != " " && $0 != "\t" }.lowercased() == "session-based-authentication"
        }
    }
}
