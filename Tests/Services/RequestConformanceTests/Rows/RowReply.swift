import LiveServers

/// What a server does with one request, written in words.
///
/// `401 basic close` is a response: a status, challenges, and how it is framed. `A + B` sends two responses in one packet, and `103 x17` one 17 times. `early` begins a
/// reply that does not wait for the body of a request that waits for `100 Continue`, `silent` one without such a word before it, and `hold` one that waits until another
/// request does. A body that `stalls` never ends.
struct RowReply: Sendable {
    let isEarly: Bool
    let isSilent: Bool
    let isHeld: Bool
    let reply: ScriptedServer.Reply

    /// Whether a host goes on when its time is over.
    let isTimed: Bool

    /// Whether the connection ends without a response.
    var closes: Bool { if case .close = reply { true } else { false } }

    /// Whether the server knows no expectation.
    var refusesExpectation: Bool {
        switch reply {
        case .send(let text), .sendAndClose(let text): text.hasPrefix("HTTP/1.1 417 ")
        default: false
        }
    }

    /// The same with a reset in place of an orderly end.
    var resetting: RowReply { closes ? RowReply(isEarly: isEarly, reply: .reset) : self }

    private init(isEarly: Bool, reply: ScriptedServer.Reply) {
        (self.isEarly, isHeld, isSilent, isTimed, self.reply) = (isEarly, false, false, false, reply)
    }

    init(_ text: String, row: String) throws {
        var words = text.split(separator: " ").map(String.init)
        isEarly = words.first == "early"
        if isEarly { words.removeFirst() }
        isSilent = words.first == "silent"
        if isSilent { words.removeFirst() }
        isTimed = isSilent || words.contains("stalls")
        isHeld = words.first == "hold"
        if isHeld { words.removeFirst() }
        guard !isHeld || words.first.flatMap({ Int($0) }) != nil else {
            throw RowError(row: row, problem: "only a response can be held: \(text)")
        }
        switch words {
        case ["hang"]: reply = .hang
        case ["close"]: reply = .close
        default:
            let parts = try words.split(separator: "+").map { try Part(Array($0), row: row) }
            let bytes = parts.map(\.bytes).joined()
            reply = parts.last?.closes == true ? .sendAndClose(bytes) : .send(bytes)
        }
    }

    /// One response.
    private struct Part {
        let bytes: String
        let closes: Bool

        init(_ words: [String], row: String) throws {
            guard let status = words.first.flatMap({ Int($0) }) else {
                throw RowError(row: row, problem: "reply \(words)")
            }
            var (version, fields, closes, count) = ("1.1", "", false, 1)
            var body = status >= 400 ? "no" : "ok"
            var framing = Framing.length
            for word in words.dropFirst() {
                switch word {
                case "1.0": version = word
                case let times where times.hasPrefix("x") && Int(times.dropFirst()) != nil:
                    count = Int(times.dropFirst()) ?? 1
                case "keep-alive": fields += "Connection: keep-alive\r\n"
                case "close":
                    fields += "Connection: close\r\n"
                    closes = true
                // Without a word of it.
                case "drop": closes = true
                case "big": body = String(repeating: "x", count: 300_000)
                case "empty": body = ""
                case "chunked": framing = .chunks
                case "until-close": (framing, closes) = (.close, true)
                case "cut": (framing, closes) = (.cut, true)
                case "long": framing = .long
                case "stalls": framing = .cut
                case "next-nonce": fields += "Authentication-Info: nextnonce=\"n9\"\r\n"
                case "wrong-proof": fields += "Authentication-Info: rspauth=\"00\"\r\n"
                case "location": fields += "Location: /next\r\n"
                case "session": fields += "Proxy-Support: Session-Based-Authentication\r\n"
                default:
                    guard let challenge = Self.challenges[word] else {
                        throw RowError(row: row, problem: "word \(word)")
                    }
                    fields += "\(status == 407 ? "Proxy" : "WWW")-Authenticate: \(challenge)\r\n"
                }
            }
            // An interim response, and 101, have none.
            if status < 200 { (body, framing) = ("", .none) }
            let response = "HTTP/\(version) \(status) Status\r\n\(fields)" + framing.text(body)
            bytes = String(repeating: response, count: count)
            self.closes = closes
        }

        private static let challenges = [
            "basic": "Basic realm=\"x\"",
            "digest": "Digest realm=\"x\", nonce=\"n1\", qop=\"auth\", algorithm=SHA-256",
            "digest-lost": "Digest realm=\"x\", nonce=\"n2\", qop=\"auth\", algorithm=SHA-256, stale=false",
            "digest-stale": "Digest realm=\"x\", nonce=\"n2\", qop=\"auth\", algorithm=SHA-256, stale=true",
            "bearer-refused": "Bearer realm=\"x\", error=\"invalid_token\"",
            "unknown": "Hawk",
            "unreadable": "Basic realm=\"x",
            "ntlm": "NTLM",
            "ntlm-bad": "NTLM AAAA",
            "ntlm-rubbish": "NTLM !!!!",
            // [MS-NLMP] section 4.2.4.3.
            "ntlm-2":
                "NTLM TlRMTVNTUAACAAAADAAMADgAAAAzgoriASNFZ4mrze8AAAAAAAAAACQAJABEAAAABgBwFwAAAA9TAGUAcgB2AGUAcgACAAwARABvAG0AYQBpAG4AAQAMAFMAZQByAHYAZQByAAAAAAA=",
        ]
    }

    /// How the end of a body is known.
    private enum Framing {
        case none, length, chunks, close
        /// It never ends.
        case cut
        /// Bytes follow the body.
        case long

        func text(_ body: String) -> String {
            let count = body.utf8.count
            return switch self {
            case .none: "\r\n"
            case .length: "Content-Length: \(count)\r\n\r\n\(body)"
            case .chunks:
                "Transfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
            case .close: "\r\n\(body)"
            case .cut: "Content-Length: \(count + 8)\r\n\r\n\(body)"
            case .long: "Content-Length: \(count)\r\n\r\n\(body)more"
            }
        }
    }
}
