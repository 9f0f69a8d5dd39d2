internal import HTTPAuthentication
internal import Hostnames
internal import WireFormat

extension AuthenticationEvent: CustomStringConvertible {
    /// One line: the number of the request, and what happened.
    public var description: String { request.map { "request \($0): \(content)" } ?? "\(content)" }
}

extension AuthenticationEvent.Content: CustomStringConvertible {
    /// One line: what happened. Text of a server is quoted and escaped.
    public var description: String {
        switch self {
        case .started(let start): "\(start)"
        case .response(let response): "\(response)"
        case .selection(let selection): "\(selection)"
        case .answered(let answer): "\(answer)"
        case .tokenPlaced(let account, let position): "the token of '\(account)' goes along in \(position)"
        case .restarted: "sent again without an answer, because the handshake was lost with its connection"
        case .waiting: "waits for another request that tries the same password, or for a ticket"
        case .needed: "the scheme needs a ticket"
        case .unmet(let reason): "there is no ticket: \(reason)"
        case .ended(let end): "\(end)"
        case .asked(let ask): "asked \(ask)"
        case .replied(let ask, let reply): "asked \(ask): \(reply.rawValue)"
        case .judged(let judgement): "\(judgement)"
        case .lockout(let change): "\(change)"
        case .forgiven(let account): "the refusals of '\(account)' are forgotten"
        case .profile(let profile): "profile \(profile.number) has \(profile.accounts.count) accounts"
        case .signedOut(let summary): "\(summary)"
        }
    }
}

extension RequestStart: CustomStringConvertible {
    /// One line: method, target without query, and proxy.
    public var description: String {
        let way =
            switch route {
            case .direct: ""
            case .forwarded(let proxy): " through \(proxy)"
            case .connect(let proxy): " by a tunnel through \(proxy)"
            }
        let shown = path.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
        return "\(method) \(origin)\(shown)\(hasQuery ? "?…" : "")\(way)"
    }
}

extension ResponseSeen: CustomStringConvertible {
    /// One line: status and offers.
    public var description: String {
        guard challenger != nil else { return "status \(status)" }
        var parts = offers.map(\.shownName)
        if unreadableLines > 0 { parts.append("\(unreadableLines) lines that cannot be read") }
        return "status \(status) offers \(parts.isEmpty ? "nothing" : parts.joined(separator: ", "))"
    }
}

extension SchemeSelection: CustomStringConvertible {
    /// One line: the scheme that answers, and why the others do not.
    public var description: String {
        let others = offers.filter { $0.fate != .chosen }.map { "\($0.scheme.shownName): \($0.fate.code)" }
        let why = others.isEmpty ? "" : " (\(others.joined(separator: ", ")))"
        guard let chosen else { return "no scheme answers\(why)" }
        let rule = accountRule.map { ", by the rule \($0)" } ?? ""
        return "\(chosen) answers as '\(account ?? "")'\(rule)\(why)"
    }
}

extension AnswerSent: CustomStringConvertible {
    /// One line: scheme, account, leg and channel binding.
    public var description: String {
        let binding = channelBinding == .notApplicable ? "" : ", \(channelBinding)"
        let to = party == .proxy ? "the proxy" : "the origin"
        return "\(scheme) answer \(leg) to \(to) as '\(account)'\(isInAdvance ? ", in advance" : "")\(binding)"
    }
}

extension RequestEnd: CustomStringConvertible {
    /// One line: the outcome, and the remedy if no answer was given.
    public var description: String {
        switch outcome {
        case .notChallenged where status == 401 || status == 407:
            "status \(status ?? 0) is not from the party that may challenge, so no answer is sent"
        case .notChallenged: "no HTTP authentication was asked for"
        case .accepted: "accepted with status \(status ?? 0)"
        case .withheld(let refusal, by: _) where refusal.isOfParty: "\(refusal)"
        case .withheld(let refusal, by: _): "no answer is sent (\(refusal.code)): \(refusal)"
        case .abandoned: "dropped before it ended"
        }
    }
}

extension CredentialAsk: CustomStringConvertible {
    /// One line: who is asked, and for what.
    public var description: String {
        let subject = source == .trust ? "about the key of" : "for a credential at"
        return "\(source.rawValue) \(subject) \(origin)\(account.map { " in place of '\($0)'" } ?? "")"
    }
}

extension ServerJudgement: CustomStringConvertible {
    /// One line: the host and the decision.
    public var description: String {
        switch decision {
        case .trusted: "\(host) has a pinned key"
        case .validatedOnly: "\(host) is trusted by validation"
        case .rejected(let refusal): "\(host) is not trusted (\(refusal.code)): \(refusal)"
        }
    }
}

extension LockoutChange: CustomStringConvertible {
    /// One line: the account, the place, and the change.
    public var description: String {
        let place = "\(isProxy ? "proxy " : "")\(host)"
        let rest = pause.map { "; it is sent nowhere for \($0.components.seconds) seconds" } ?? ""
        return "the password of '\(account)' at \(place) was \(before.rawValue) and is \(now.rawValue)\(rest)"
    }
}

extension SignOutSummary: CustomStringConvertible {
    /// One line: what was done, and what was not.
    public var description: String {
        let rest = failures.isEmpty ? "" : "; not done: \(failures.joined(separator: "; "))"
        return
            "signed out: \(accounts.count) accounts, \(storedCredentials) records, \(trustedKeys) trusted keys\(rest)"
    }
}

extension AuthenticationScheme {
    /// The name in printable ASCII, shortened: a server may offer any name.
    package var shownName: String {
        name.utf8.allSatisfy { (0x21...0x7E).contains($0) } && name.utf8.count <= 64 ? name : VisibleText.quoted(name)
    }
}
