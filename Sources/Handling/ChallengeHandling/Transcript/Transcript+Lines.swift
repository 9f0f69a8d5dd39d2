internal import Credentials
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import WireFormat

extension Transcript {
    func header(at time: Int64) -> [UInt8] {
        var line = JSONLine()
        line.add("type", "header")
        line.add("format", "sallyport-challenge-recording")
        line.add("version", 1)
        line.add("recorded", Timestamp.text(unixMicroseconds: time))
        line.add("madeByHand", false)
        line.add("redacted", true)
        return line.line
    }

    /// The lines of a request: one for each response that has a decision.
    func lines(of request: OpenRequest, number: UInt64) -> [UInt8] {
        var lines: [UInt8] = []
        for (leg, decided) in request.decided.enumerated() where decided.verdict != nil {
            lines += line(of: decided, leg, request, number).line
        }
        return lines
    }

    private func line(
        of decided: OpenRequest.Decided,
        _ leg: Int,
        _ request: OpenRequest,
        _ number: UInt64
    ) -> JSONLine {
        let (start, response) = (request.start, decided.response)
        let origin = names.origin(start.origin)
        var line = JSONLine()
        line.add("type", "response")
        line.add("exchange", number)
        line.add("leg", leg)
        line.add("kind", request.kind)
        line.add("time", Timestamp.text(unixMicroseconds: decided.time))
        line.add("connection", response.connection.id.map { Int64(clamping: $0) } ?? -1)
        line.add("origin", origin)
        let path = start.path + (start.hasQuery ? "?\(Self.redacted)" : "")
        switch start.route {
        case .direct:
            line.add("via", String?.none)
            line.add("method", start.method)
            line.add("target", path)
        case .forwarded(let proxy):
            line.add("via", names.origin(proxy))
            line.add("method", start.method)
            line.add("target", path.hasPrefix("/") ? origin + path : path)
        case .connect(let proxy):
            line.add("via", names.origin(proxy))
            line.add("method", "CONNECT")
            line.add("target", "\(names.host(start.origin.host)):\(start.origin.port)")
        }
        line.add("status", response.status)
        line.add("fields", names.fields(response.fields, of: response.challenger).map { [$0.name.rawName, $0.value] })
        line.add("chain", [String]())
        line.add("answer", decided.challengeAnswer.map { answer($0) })
        line.add("expected", expected(decided))
        line.add("profile", start.profile)
        line.add("inAdvance", request.isInAdvance)
        line.add("proxyOnly", start.isProxyOnly)
        line.add("bodyOnce", start.isBodyOnce)
        line.add("bodySent", response.bodyWasSent)
        line.add("canPin", response.connection.canPin)
        if response.connection.followsLostHandshake { line.add("lostHandshake", true) }
        line.add("security", response.connection.security?.code)
        if let selection = decided.selection { line.add("selection", self.selection(selection)) }
        return line
    }

    private func answer(_ answer: AnswerSent) -> JSONLine {
        var object = JSONLine()
        object.add("field", answer.party.answerField.rawName)
        object.add("value", "\(answer.scheme.name) \(Self.redacted)")
        object.add("account", names.account(answer.account))
        return object
    }

    private func expected(_ decided: OpenRequest.Decided) -> JSONLine {
        var object = JSONLine()
        object.add("verdict", decided.verdict)
        object.add("reason", decided.reason)
        return object
    }

    private func selection(_ selection: SchemeSelection) -> JSONLine {
        var object = JSONLine()
        object.add("chosen", selection.chosen?.shownName)
        object.add("account", selection.account.map { names.account($0) })
        object.add("accountRule", selection.accountRule.map { names.rule($0) })
        object.add("siteRule", selection.siteRule.map { names.rule($0) })
        object.add("offers", selection.offers.map { [$0.scheme.shownName, $0.fate.code] })
        return object
    }

    func profile(_ profile: ProfileSummary, at time: Int64) -> [UInt8] {
        var line = JSONLine()
        line.add("type", "profile")
        line.add("time", Timestamp.text(unixMicroseconds: time))
        line.add("profile", profile.number)
        line.add("sites", profile.sites.map { $0.map { names.rule($0) } })
        line.add("schemes", profile.schemes.map(\.name))
        line.add("accounts", profile.accounts.map { account($0) })
        line.add("lockout", lockout(profile.lockout))
        return line.line
    }

    private func account(_ account: ProfileSummary.AccountSummary) -> JSONLine {
        var object = JSONLine()
        object.add("name", names.account(account.name))
        object.add("user", names.user(account.user))
        object.add("domain", account.domain.map { names.domain($0) })
        object.add("userForm", account.userForm.rawValue)
        object.add("sites", account.sites.map { names.rule($0) })
        object.add("schemes", account.schemes?.map(\.name))
        object.add("cleartext", account.allowsCleartext)
        object.add("downgrade", account.allowsDowngrade)
        object.add("unbound", account.allowsUnbound)
        object.add("missingQop", account.digest.allowsMissingQop)
        object.add("weakest", account.digest.weakest == .md5 ? "md5" : "sha-256")
        object.add("password", account.password)
        return object
    }

    private func lockout(_ rules: LockoutRules) -> JSONLine {
        var object = JSONLine()
        object.add("maximumRefusals", rules.maximumRefusals)
        object.add("observationWindow", rules.observationWindow.nanoseconds)
        object.add("attemptLimit", rules.attemptLimit.nanoseconds)
        object.add("withholding", rules.withholding.nanoseconds)
        object.add("refusalLifetime", rules.refusalLifetime?.nanoseconds)
        object.add("oneAtATime", rules.isOneAtATime)
        return object
    }

    func forgiven(_ account: String, at time: Int64) -> [UInt8] {
        var line = JSONLine()
        line.add("type", "forgiven")
        line.add("time", Timestamp.text(unixMicroseconds: time))
        line.add("account", names.account(account))
        return line.line
    }

    /// A line for readers, which a replay skips.
    func note(_ event: AuthenticationEvent) -> [UInt8] {
        var line = JSONLine()
        line.add("type", "note")
        line.add("time", Timestamp.text(unixMicroseconds: event.unixMicroseconds))
        line.add("what", event.content.code)
        switch event.content {
        case .asked(let ask): add(ask, to: &line)
        case .replied(let ask, let reply):
            add(ask, to: &line)
            line.add("reply", reply.rawValue)
        case .judged(let judgement):
            line.add("host", names.host(judgement.host))
            switch judgement.decision {
            case .trusted: line.add("verdict", "trusted")
            case .validatedOnly: line.add("verdict", "validated")
            case .rejected(let refusal):
                line.add("verdict", "rejected")
                line.add("reason", refusal.code)
            }
        case .lockout(let change):
            line.add("account", names.account(change.account))
            line.add("host", names.hostText(change.host))
            line.add("proxy", change.isProxy)
            line.add("before", change.before.rawValue)
            line.add("now", change.now.rawValue)
            line.add("pause", change.pause?.nanoseconds)
        case .signedOut(let summary):
            line.add("accounts", summary.accounts.map { names.account($0) })
            line.add("storedCredentials", summary.storedCredentials)
            line.add("trustedKeys", summary.trustedKeys)
            line.add("failures", summary.failures.count)
        default: return []
        }
        return line.line
    }

    private func add(_ ask: CredentialAsk, to line: inout JSONLine) {
        line.add("source", ask.source.rawValue)
        line.add("origin", names.origin(ask.origin))
        line.add("party", ask.party == .proxy ? "proxy" : "origin")
        line.add("account", ask.account.map { names.account($0) })
    }
}

extension OpenRequest.Decided {
    /// The answer to the party that challenges.
    var challengeAnswer: AnswerSent? { answers.first { $0.party == response.challenger } }
}

extension ConnectionSeen.Security {
    /// The TLS state as one word.
    var code: String {
        switch self {
        case .none: "none"
        case .leaf(nil): "leaf"
        case .leaf(.noSignatureHash?): "leaf-without-hash"
        case .leaf(.unreadableCertificate?), .leaf(.noCertificate?): "leaf-unreadable"
        case .unknownLeaf: "unknown-leaf"
        }
    }
}
