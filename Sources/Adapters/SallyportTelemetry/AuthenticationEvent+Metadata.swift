internal import HTTPAuthentication
internal import Hostnames
internal import Logging
internal import Sallyport

extension AuthenticationEvent {
    /// The event as metadata of a log line.
    var metadata: Logger.Metadata {
        var values: [LogKey: String] = [.event: content.code]
        if let request { values[.request] = String(request) }
        content.add(to: &values)
        return Logger.Metadata(uniqueKeysWithValues: values.map { ($0.key.rawValue, .string($0.value)) })
    }
}

extension AuthenticationEvent.Content {
    fileprivate func add(to values: inout [LogKey: String]) {
        switch self {
        case .started(let start):
            values[.method] = start.method
            values[.origin] = "\(start.origin)"
            values[.path] = start.path
            switch start.route {
            case .direct: break
            case .forwarded(let proxy), .connect(let proxy): values[.proxy] = "\(proxy)"
            }
        case .response(let response):
            values[.status] = String(response.status)
            values[.party] = response.challenger?.word
            if response.challenger != nil { values[.offers] = response.offers.map(\.name).joined(separator: " ") }
        case .selection(let selection):
            values[.party] = selection.party.word
            values[.origin] = "\(selection.origin)"
            values[.scheme] = selection.chosen?.name
            values[.account] = selection.account
            values[.rule] = selection.accountRule
            values[.offers] = selection.offers.map { "\($0.scheme.name):\($0.fate.code)" }.joined(separator: " ")
        case .answered(let answer):
            values[.party] = answer.party.word
            values[.scheme] = answer.scheme.name
            values[.account] = answer.account
            values[.leg] = String(answer.leg)
        case .tokenPlaced(let account, _): values[.account] = account
        case .restarted, .waiting, .needed: break
        case .unmet(let reason): values[.reason] = reason
        case .ended(let end):
            values[.outcome] = end.outcome.word
            values[.status] = end.status.map(String.init)
            values[.duration] = String(end.duration.microseconds)
            if case .withheld(let refusal, by: let party) = end.outcome {
                values[.reason] = refusal.code
                values[.party] = party.word
            }
        case .asked(let ask): add(ask, to: &values)
        case .replied(let ask, let reply):
            add(ask, to: &values)
            values[.outcome] = reply.rawValue
        case .judged(let judgement):
            values[.host] = "\(judgement.host)"
            if case .rejected(let refusal) = judgement.decision { values[.reason] = refusal.code }
        case .lockout(let change):
            values[.account] = change.account
            values[.host] = change.host
            values[.party] = change.isProxy ? "proxy" : "origin"
            values[.outcome] = change.now.rawValue
        case .forgiven(let account): values[.account] = account
        case .profile, .signedOut: break
        }
    }

    private func add(_ ask: CredentialAsk, to values: inout [LogKey: String]) {
        values[.source] = ask.source.rawValue
        values[.origin] = "\(ask.origin)"
        values[.party] = ask.party.word
        values[.account] = ask.account
    }
}

extension ChallengedParty {
    /// `origin` or `proxy`.
    var word: String { self == .proxy ? "proxy" : "origin" }
}

extension RequestEnd.Outcome {
    /// The outcome as one word.
    var word: String {
        switch self {
        case .notChallenged: "not-challenged"
        case .accepted: "accepted"
        case .withheld(let refusal, by: _) where refusal.isOfParty: "refused"
        case .withheld: "withheld"
        case .abandoned: "abandoned"
        }
    }
}

extension Duration {
    /// Whole microseconds; the largest number if they do not fit.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max : scaled + attoseconds / 1_000_000_000_000
    }
}
