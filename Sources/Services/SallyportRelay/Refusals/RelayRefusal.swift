internal import ClientAuthentication
internal import CredentialSources
internal import HTTP1
internal import HTTPTypes
internal import Hostnames
internal import NIOCore
internal import Sallyport
internal import SallyportNIO
internal import WireFormat

/// Why a client gets a response of the relay itself.
enum RelayRefusal: Error {
    case defect(HeadDefect)
    case target(TargetDefect)
    /// The client does not speak HTTP/1.
    case foreign(ForeignProtocol)
    case loop
    /// A method whose response has the request in it, with the relay's own answers.
    case reflected
    /// Unfinished heads of all clients take too much memory.
    case tooManyHeads
    /// A destination that the rules do not allow.
    case forbidden(Origin)
    /// The same for a proxy that only a script names.
    case forbiddenProxy(RelayParent)
    /// At a listener that stands for a server: a Host that is not the listener's.
    case misdirected
    /// At a listener that stands for a server: a request of a page of another site.
    case crossSite
    /// The client is not authenticated.
    case client(ClientRefusal)
    /// The body of a request that is refused is too long to wait for its end.
    case bodyTooLong
    /// The user whose program sends the request decides about its account, and is not known.
    case unknownOwner
    case withheld(Refusal)
    /// A party asks for what no password is.
    case unanswerable(OfferGap, ChallengedParty)
    /// The server gets no answer, and its own response is gone.
    case withheldFromServer(Refusal)
    case bodySpent
    case needsSupply
    /// A parent or a server takes no connection, and what a client of SOCKS hears.
    case notConnected(String, reason: String, SOCKSError.Reply)
    /// This machine has nothing left for another connection.
    case shortage(LocalShortage)
    case closed(Origin)
    /// A SOCKS proxy opens no connection.
    case socks(RelayParent, SOCKSError)
    /// A parent opens no tunnel, for a client that speaks no HTTP.
    case noTunnel(Origin, status: Int)
    /// What a client of SOCKS sends cannot be served.
    case socksClient(SOCKSClientDefect)
    /// No way to the server could be chosen.
    case notChosen(reason: String)
    /// The client closed its side while the request had to wait.
    case clientLeft
    /// The connection ended with an error, such as one of TLS.
    case failed(Origin, reason: String)
    case malformed(HeadDefect, Origin)
    /// A response with status 101 to a request that asks for no other protocol (RFC 9110 section 15.2.2).
    case switchedUnasked(Origin)
    case waitedTooLong
    /// Another request tries the account, and does not come to an end.
    case attemptUnanswered
    case stalled(Origin)
    case asking(reason: String)
    /// A person has not answered the question for a password in time; it may stay open.
    case unanswered(isOpen: Bool)
    /// There is no token, for a reason.
    case token(String)
    /// The service that gives the token has not answered in time.
    case tokenUnanswered
    case ending

    /// Why a party gets no answer.
    ///
    /// - Parameter gap: what its offer lacks.
    static func withheld(_ refusal: Refusal, by party: ChallengedParty, gap: OfferGap?) -> RelayRefusal {
        switch (refusal, gap) {
        case (.noCredential, let gap?): .unanswerable(gap, party)
        case (.noSupportedScheme, .unknown(let names)?): .unanswerable(.unknown(names), party)
        default: party == .origin ? .withheldFromServer(refusal) : .withheld(refusal)
        }
    }

    /// A question for a password that ended with `error`.
    static func asking(_ error: any Error) -> RelayRefusal {
        switch error {
        case AuthenticatorError.noReply, AuthenticatorError.cancelled, TerminalError.timedOut:
            .unanswered(isOpen: false)
        default: .asking(reason: "\(error)")
        }
    }

    /// Whether the account is the reason, and not the server or the way to it.
    var isAboutAccount: Bool {
        switch self {
        case .withheld, .unanswerable(_, .proxy), .needsSupply, .attemptUnanswered, .asking, .unanswered, .token,
            .tokenUnanswered:
            true
        case .socks(_, let error): error.isAboutAccount
        default: false
        }
    }

    /// What to do if `error` says that no root vouches for the certificate; `nil` for another error.
    static func rootMissing(_ error: any Error) -> String? {
        guard case TLSError.serverNotValidated(_, .unknownAuthority, chain: _) = error else { return nil }
        return "\(error); --cacert of sallyport relay names a file of roots"
    }

    /// A connection that ended with `error`.
    static func failed(_ origin: Origin, _ error: any Error) -> RelayRefusal {
        .failed(origin, reason: rootMissing(error) ?? identityMissing(error) ?? TLSReason.sentence(error))
    }

    /// What to do if `error` says that there was no client certificate for the party, or no key, or several; `nil` for another error.
    private static func identityMissing(_ error: any Error) -> String? {
        switch error {
        case TLSError.identityNotAccepted(let origin, .withhold(.noCredential), let alert):
            "\(origin): the server requires a client certificate (\(alert)), and none was sent: "
                + remedy(ofWithheld: .noCredential)
        case TLSError.identityUndecided(let question):
            "\(question): let 'sites' of one alone name it, or present one with --cert FILE or --cert-identity NAME"
        case TLSError.missingKey(let name):
            "identity \(VisibleText.quoted(name)) has no private key: name its file with 'key' below 'certificate' in the profile"
        default: nil
        }
    }

    /// Why a server that asked for a client certificate got none, and what to do. The relay may have no profile.
    static func remedy(ofWithheld refusal: Refusal) -> String {
        refusal == .noCredential
            ? "none is for this server: present one with --cert FILE or --cert-identity NAME, or name it in the profile with a rule for the server"
            : "\(refusal)"
    }

    var status: Int {
        switch self {
        case .defect(let defect): defect.status
        case .target, .socksClient: 400
        case .foreign(.http2): 505
        case .foreign: 400
        case .loop: 508
        case .reflected: 501
        case .forbidden, .forbiddenProxy, .crossSite, .unknownOwner, .socks(_, .refused(.notAllowed)): 403
        case .client(let refusal): refusal.status
        case .bodyTooLong: 413
        case .misdirected: 421
        case .bodySpent, .shortage, .tooManyHeads, .waitedTooLong, .attemptUnanswered, .unanswered, .tokenUnanswered,
            .ending, .clientLeft, .withheld(.resultUnknown), .withheldFromServer(.resultUnknown):
            503
        case .stalled: 504
        default: 502
        }
    }
}

extension RelayRefusal {
    /// After how many seconds a repetition may have another result; `nil` if the time is not known.
    private var secondsToRetry: Int64? {
        let refusal: Refusal
        switch self {
        case .withheld(let reason), .withheldFromServer(let reason): refusal = reason
        default: return nil
        }
        return switch refusal {
        case .resultUnknown(_, let time), .accountPaused(_, let time), .pathWithheld(_, let time, _):
            time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0)
        default: nil
        }
    }

    /// RFC 9110 section 10.2.3.
    private var retryAfter: String { secondsToRetry.map { "Retry-After: \($0)\r\n" } ?? "" }
}

extension RelayRefusal: CustomStringConvertible {
    /// One line: where, the problem, the remedy.
    var description: String {
        switch self {
        case .defect(let defect): "request: \(defect)"
        case .target(let defect): "request: \(defect)"
        case .foreign(let foreign): "client: \(foreign)"
        case .loop: "the request came back to this relay: the parent may not be the relay itself"
        case .reflected:
            "request: TRACE and TRACK would show the account that the relay adds: ask the server without the relay"
        case .forbidden(let origin):
            "\(origin): the relay does not serve loopback, link-local and reserved addresses: allow it with --allow-destination, or "
                + "add it to no_proxy of the client"
        case .forbiddenProxy(let parent):
            "\(parent): the script names a proxy on a loopback, link-local or reserved address: name it with --parent, or allow it with "
                + "--allow-destination"
        case .client(let refusal):
            switch refusal.status {
            case 429: "client: too many wrong passwords: wait, then log on with the right one"
            case 503: "client: the accounts of clients cannot be read now: repeat the request"
            case 400: "client: the answer cannot be read: send one, in the form of its scheme"
            default: "client: this relay demands authentication: give your account for it"
            }
        case .bodyTooLong: "client: the body is sent before authentication: let the client send 'Expect: 100-continue'"
        case .unknownOwner: "client: the system does not say whose program this is: keep the connection open"
        case .tooManyHeads:
            "request: too many clients send parts of heads: send the whole head at once, or repeat the request"
        case .misdirected:
            "request: Host is not a name of this listener: use its address or localhost, or allow the name with --map-name"
        case .crossSite:
            "request: a page of another site sent it, and it would get your account: open the address itself in the browser"
        case .withheld(.noCredential):
            "parent: it asks for an account, and there is none: keep a password with sallyport credentials add --proxy and start without "
                + "--no-store, or start the relay at a terminal or with --kerberos, or give it a profile"
        case .unanswerable(let gap, let party): "\(party == .proxy ? "parent" : "server"): \(Self.text(gap))"
        case .withheld(.noSupportedScheme):
            "parent: it offers no scheme that the relay can answer: --kerberos needs Negotiate; with a profile add one of its schemes "
                + "to 'schemes'"
        case .withheld(let refusal): "parent: \(refusal)"
        case .withheldFromServer(let refusal): "server: \(refusal)"
        case .bodySpent:
            "parent: it asked for authentication after more of the body was sent than the relay keeps: repeat the request, or let "
                + "the client send 'Expect: 100-continue'"
        case .needsSupply: "parent: the scheme needs a ticket that is not there: see 'sallyport explain'"
        case .notConnected(let place, let reason, _): "\(place): no connection: \(reason)"
        case .shortage(let shortage): "relay: \(shortage)"
        case .closed(let origin): "\(origin): it closed the connection before its response: repeat the request"
        case .socks(let parent, let error): "\(parent): \(error)"
        case .noTunnel(let parent, let status):
            "\(parent): it opens no tunnel (status \(status)): ask who runs it whether it may go to that host and port"
        case .socksClient(let defect): "client: \(defect)"
        case .notChosen(let reason): reason
        case .clientLeft:
            "the client closed its side before the request could be sent: keep it open until the response has come"
        case .failed(_, let reason): reason
        case .malformed(let defect, let origin): "\(origin): \(ResponseDefect(defect))"
        case .switchedUnasked(let origin):
            "\(origin): it switches to another protocol (status 101), which the request did not ask for: ask who runs it"
        case .waitedTooLong: "the relay has no free connection to the parent: raise the limit, or ask later"
        case .attemptUnanswered:
            "another request tries the account now, and has no answer yet: see whether the parent or server answers, then repeat the request"
        case .stalled(let origin): "\(origin): it sent nothing for too long: repeat the request"
        case .asking(let reason): "no password: \(reason)"
        case .unanswered(isOpen: true):
            "no password: the question at the relay's terminal is still open: answer it, then repeat the request"
        case .unanswered(isOpen: false):
            "no password: no answer came: see the relay's terminal or its source of passwords, then repeat the request"
        case .token(let reason): "no token: \(reason)"
        case .tokenUnanswered: "no token: the service that gives it does not answer: repeat the request later"
        case .ending: "the relay ends: repeat the request when it runs again"
        }
    }

    private static func text(_ gap: OfferGap) -> String {
        switch gap {
        case .nothing: "it asks for a password and offers no scheme: ask who runs it"
        case .unreadable(let line): "its challenge cannot be read, so nothing is answered: \(line): ask who runs it"
        case .unknown(let schemes):
            "it offers only \(OfferGap.names(schemes)), which the relay does not know: ask who runs it for Negotiate, NTLM, Digest or Basic"
        case .token:
            "it asks for a token, and there is none: give a profile with an account that has 'token' or 'oauth'"
        case .cleartext:
            "it offers Basic alone, which shows the password to everyone on the path: reach it over https, or allow Basic with --basic, or, "
                + "if you have a profile, with 'cleartext: true' there"
        }
    }

    /// What makes two refusals the same news: the text, without what differs from request to request.
    var news: String {
        switch self {
        case .forbidden: "forbidden"
        // These tell how many seconds are left.
        case .withheld(.pathWithheld(let account, _, let isDoubted)),
            .withheldFromServer(.pathWithheld(let account, _, let isDoubted)):
            "path withheld from \(account), in doubt \(isDoubted)"
        case .withheld(.accountPaused(let account, _)), .withheldFromServer(.accountPaused(let account, _)):
            "\(account) paused"
        case .withheld(.resultUnknown(let account, _)), .withheldFromServer(.resultUnknown(let account, _)):
            "result of \(account) unknown"
        default: "\(self)"
        }
    }

    /// The most bytes of a reason phrase: as many as a reader shows.
    private static let reasonBytes = ResponseHead.shownReason

    /// The reason phrase says what is wrong, because most clients of CONNECT show it and drop the body. RFC 9112 section 4: it is of visible
    /// characters and blanks.
    private var reason: String {
        let text = "\(RelayMarker.beginning)\(self)"
        let ascii = text.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" }
        return ascii.count <= Self.reasonBytes ? String(ascii) : String(ascii.prefix(Self.reasonBytes - 3)) + "..."
    }

    /// The whole answer in the protocol of the client, after which the connection is closed.
    func answer(isHead: Bool) -> ByteBuffer {
        if case .foreign(let foreign) = self, let answer = foreign.answer("\(RelayMarker.beginning)\(self)") {
            return ByteBuffer(bytes: answer)
        }
        return ByteBuffer(string: response(isHead: isHead))
    }

    /// The whole response, after which the connection is closed, unless `closes` is false.
    func response(isHead: Bool, fields: HTTPFields = [:], closes: Bool = true) -> String {
        let more = fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        let body = "\(RelayMarker.beginning)\(self)\n"
        return """
            HTTP/1.1 \(status) \(reason)\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(body.utf8.count)\r
            Cache-Control: no-store\r
            \(retryAfter)\(more)\(closes ? "Connection: close\r\n" : "")\r
            \(isHead ? "" : body)
            """
    }
}
