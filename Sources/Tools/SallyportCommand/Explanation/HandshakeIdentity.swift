internal import Hostnames
internal import OfflineVerbs
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO

/// What a server got when it asked for a client certificate in its TLS handshake.
struct HandshakeIdentity: Sendable {
    let origin: Origin
    /// What it got; `nil` if it did not ask.
    let decision: IdentityDecision?

    /// That of a response's connection; `nil` without TLS.
    init?(_ response: ClientResponse, from url: RequestURL) {
        guard url.location.origin.scheme == .https else { return nil }
        (origin, decision) = (url.location.origin, response.identity)
    }

    /// That of a handshake which the server ended because of the certificate; `nil` for another error.
    init?(_ error: any Error) {
        guard case TLSError.identityNotAccepted(let origin, let decision, alert: _) = error else { return nil }
        (self.origin, self.decision) = (origin, decision)
    }

    /// The step that tells it; `nil` if the server asked for none and no certificate is meant for it.
    func step(_ handler: ChallengeHandler) -> ExplanationStep? {
        let meant = handler.identities(for: origin)
        let (word, refusal, shown, end): (String, Refusal?, [IdentityCandidate], String)
        switch decision {
        case .present(let identity):
            (word, refusal, shown) = ("presented", nil, meant.filter { $0.identity.name == identity.name })
            end = "presented to \(origin)"
        case .withhold(let reason):
            (word, refusal, shown) = ("withheld", reason, meant)
            let remedy = reason == .noCredential ? RequestFailure.certificateRemedy : "\(reason)"
            end =
                meant.isEmpty
                ? "sent to \(origin), which asked for one: \(remedy)" : "withheld from \(origin), because \(remedy)"
        case nil:
            guard !meant.isEmpty else { return nil }
            (word, refusal, shown, end) = ("not-asked", nil, meant, "not asked for by \(origin)")
        }
        let names = shown.map { "'\($0.identity.name)' (\($0.subject))" }.joined(separator: " and ")
        return ExplanationStep(
            topic: "identity",
            text: "\(names.isEmpty ? "none" : names) \(end)",
            members: [
                ("origin", .string("\(origin)")), ("certificate", .string(word)), ("refusal", JSONValue(refusal?.code)),
                (
                    "identities",
                    .array(
                        shown.map {
                            .object([("name", .string($0.identity.name)), ("subject", .string($0.subject))])
                        }
                    )
                ),
            ]
        )
    }
}
