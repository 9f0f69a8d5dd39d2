internal import ClientAuthentication
internal import HTTPTypes
internal import Hostnames
internal import Sallyport
internal import SallyportNIO

/// Why a client gets a response of the relay itself.
enum RelayRefusal: Error {
    case defect(HeadDefect)
    case loop
    /// A method whose response has the request in it, with the relay's own answers.
    case reflected
    /// A destination that the rules do not allow.
    case forbidden(Origin)
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
    /// The server gets no answer, and its own response is gone.
    case withheldFromServer(Refusal)
    case bodySpent
    case needsSupply
    case notConnected(Origin, reason: String)
    case closed(Origin)
    /// A SOCKS proxy opens no connection.
    case socks(RelayParent, SOCKSError)
    /// No way to the server could be chosen.
    case notChosen(reason: String)
    /// The client closed its side while the request had to wait.
    case clientLeft
    /// The connection ended with an error, such as one of TLS.
    case failed(Origin, reason: String)
    case malformed(HeadDefect, Origin)
    case refusalTooLong(Origin)
    case waitedTooLong
    /// Another request tries the account, and does not come to an end.
    case attemptUnanswered
    case stalled(Origin)
    case asking(String)
    /// The question for a password has no answer yet.
    case unanswered
    case ending

    /// How the text of a parent without an account begins.
    static let noAccount = "parent: it asks for an account, and there is none"

    /// A connection that ended with `error`.
    static func failed(_ origin: Origin, _ error: any Error) -> RelayRefusal {
        if case TLSError.serverNotValidated(_, .unknownAuthority, chain: _) = error {
            return .failed(origin, reason: "\(error); --cacert of sallyport relay names a file of roots")
        }
        return .failed(origin, reason: "\(error)")
    }

    var status: Int {
        switch self {
        case .defect(let defect): defect.status
        case .loop: 508
        case .reflected: 501
        case .forbidden, .crossSite, .unknownOwner, .socks(_, .refused(.notAllowed)): 403
        case .client(let refusal): refusal.status
        case .bodyTooLong: 413
        case .misdirected: 421
        case .waitedTooLong, .attemptUnanswered, .unanswered, .ending, .clientLeft: 503
        case .stalled: 504
        default: 502
        }
    }
}

extension RelayRefusal: CustomStringConvertible {
    /// One line: where, the problem, the remedy.
    var description: String {
        switch self {
        case .defect(let defect): "request: \(defect)"
        case .loop: "the request came back to this relay: the parent may not be the relay itself"
        case .reflected:
            "request: TRACE and TRACK would show the account that the relay adds: ask the server without the relay"
        case .forbidden(let origin):
            "\(origin): the relay does not serve loopback, link-local and reserved addresses: allow it with --allow-destination, or "
                + "add it to no_proxy of the client"
        case .client(let refusal):
            switch refusal.status {
            case 429: "client: too many wrong passwords: wait, then log on with the right one"
            case 503: "client: the accounts of clients cannot be read now: repeat the request"
            case 400: "client: the answer cannot be read: send one, in the form of its scheme"
            default: "client: this relay demands authentication: give your account for it"
            }
        case .bodyTooLong: "client: the body is sent before authentication: let the client send 'Expect: 100-continue'"
        case .unknownOwner: "client: the system does not say whose program this is: keep the connection open"
        case .misdirected:
            "request: Host is not a name of this listener: use its address or localhost, or allow the name with --map-name"
        case .crossSite:
            "request: a page of another site sent it, and it would get your account: open the address itself in the browser"
        case .withheld(.noCredential):
            "\(Self.noAccount): keep a password with sallyport credentials add --proxy, start the relay at a terminal or with --kerberos, "
                + "or give it a profile; a parent that offers Basic alone in clear text needs --basic"
        case .withheld(.noSupportedScheme):
            "parent: it offers no scheme that the relay can answer: --kerberos needs Negotiate; with a profile add one of its schemes "
                + "to 'schemes'"
        case .withheld(let refusal): "parent: \(refusal)"
        case .withheldFromServer(let refusal): "server: \(refusal)"
        case .bodySpent:
            "parent: it asked for authentication after more of the body was sent than the relay keeps: repeat the request, or let "
                + "the client send 'Expect: 100-continue'"
        case .needsSupply: "parent: the scheme needs a token or a ticket that is not there: see 'sallyport explain'"
        case .notConnected(let origin, let reason): "\(origin): no connection: \(reason)"
        case .closed(let origin): "\(origin): it closed the connection before its response: repeat the request"
        case .socks(let parent, let error): "\(parent): \(error)"
        case .notChosen(let reason): reason
        case .clientLeft:
            "the client closed its side before the request could be sent: keep it open until the response has come"
        case .failed(_, let reason): reason
        case .malformed(let defect, let origin): "\(origin): \(defect)"
        case .refusalTooLong(let origin):
            "\(origin): the refused response is too long to go on with the handshake: correct the proxy"
        case .waitedTooLong: "the relay has no free connection to the parent: raise the limit, or ask later"
        case .attemptUnanswered:
            "another request tries the account now, and has no answer yet: see whether the parent or server answers, then repeat the request"
        case .stalled(let origin): "\(origin): it sent nothing for too long: repeat the request"
        case .asking(let reason): "no password: \(reason)"
        case .unanswered:
            "no password: the question at the relay's terminal has no answer yet: answer it, then repeat the request"
        case .ending: "the relay ends: repeat the request when it runs again"
        }
    }

    private var reason: String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 407: "Proxy Authentication Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 508: "Loop Detected"
        default: "Bad Gateway"
        }
    }

    private static let beginning = "sallyport relay: "

    /// The refusal in the body of a response; `nil` if the response is not a relay's own.
    static func text(ofBody body: String) -> String? {
        guard body.hasPrefix(beginning) else { return nil }
        return String(body.dropFirst(beginning.count).prefix { $0 != "\n" })
    }

    /// The whole response, after which the connection is closed, unless `closes` is false.
    func response(isHead: Bool, fields: HTTPFields = [:], closes: Bool = true) -> String {
        let more = fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        let body = "\(Self.beginning)\(self)\n"
        return """
            HTTP/1.1 \(status) \(reason)\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(body.utf8.count)\r
            Cache-Control: no-store\r
            \(more)\(closes ? "Connection: close\r\n" : "")\r
            \(isHead ? "" : body)
            """
    }
}
