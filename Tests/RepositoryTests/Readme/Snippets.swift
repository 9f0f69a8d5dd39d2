import Sallyport

/// README's snippets, word for word, with the names around them that README leaves to its reader.
struct Snippets {
    struct Response {
        let status: Int
        let fields: HTTPFields
        var connection = ConnectionTraits(id: 1, security: .unknownLeaf)
    }

    /// The responses of the server, the next one last.
    var responses: [Response] = []
    var sent: [RequestSending] = []

    mutating func send(_ request: OutgoingRequest, _ sending: RequestSending) async throws -> Response {
        sent.append(sending)
        return responses.removeLast()
    }

    func fetch(_ need: SchemeNeed) async throws -> SchemeSupply { .unavailable }

    mutating func decide(pathOfSecret: String) async throws -> (
        Response?, RequestOutcome
    ) {
        let password = try SecretReference.file(path: pathOfSecret).load()
        let account = Account(name: "jdoe", user: #"ACME\jdoe"#, password: password)
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "sites"),
            schemes: [.ntlm, .digest, .basic],
            accounts: [.init(account, sites: ["*.acme.example"])]
        )
        let handler = try ChallengeHandler(profile: profile)

        let request = try OutgoingRequest(url: "https://wiki.acme.example/start")
        var authentication = handler.authentication(of: request)
        var step = authentication.begin()
        var response: Response?
        while true {
            switch step {
            case .send(let sending):
                // Send the request with sending.fields, on the connection that sending.connection names.
                let next = try await send(request, sending)
                step = authentication.received(status: next.status, fields: next.fields, on: next.connection)
                response = next
            case .wait(let ticket):
                try await ticket.ready()  // another request tries this password now
                step = authentication.resume()
            case .needs(let need):
                step = authentication.supplied(try await fetch(need))  // Basic, Digest and NTLM never ask
            case .deliver(let outcome):
                return (response, outcome)  // accepted, not challenged, or withheld and why
            }
        }
    }

    static func reload(
        _ changedProfile: SecurityProfile,
        after handler: ChallengeHandler
    ) throws -> ChallengeHandler {
        let successor = try ChallengeHandler(
            profile: changedProfile,
            succeeding: handler
        )
        return successor
    }

    static func sites() throws -> SiteTrie {
        let list = try SiteList(
            parsing: """
                *.acme.example                    # every host below it, over https
                !quarantine.acme.example          # but not this one
                http://proxy.acme.example:3128    # plain http is somebody's written decision
                """,
            name: "team"
        )
        let trie = SiteTrie(compiling: list)
        _ = trie.verdict(forURL: "https://wiki.acme.example/").isAllowed  // true
        _ = trie.verdict(forURL: "https://evilacme.example/").isAllowed  // false
        print(trie.explain(url: "https://quarantine.acme.example/"))  // the walk, in words
        return trie
    }

    static func handshake(password: String, hashes: [String: NTHash], now: FileTime) throws -> VerifiedClient {
        var client = ClientHandshake(
            account: try NTLMAccount(parsing: "ACME\\ada", hash: NTHash(password: password)),
            options: .init(targetName: "HTTP/wiki.acme.example")
        )
        var server = ServerHandshake(options: .init(computerName: "WIKI", domainName: "ACME"))
        let negotiate = client.negotiate()
        let challenge = try server.challenge(to: negotiate.span, now: now)
        let authenticate = try client.authenticate(challenge: challenge.span, now: now)
        let visitor = try server.verify(authenticate: authenticate.span, now: now) { user, domain in hashes[user] }
        print(visitor.domain, visitor.user)
        return visitor
    }

    static func pins(derCertificates: [[UInt8]], unixSeconds: Int64) throws -> PinVerdict {
        let policy = try PinPolicy(
            compiling: [
                .init(
                    host: "login.acme.example",
                    pins: [.init(try Pin(parsing: "sha256/lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8="), at: .leaf)],
                    backup: .pins([.init(try Pin(parsing: "sha256/OAOs83VDVIaXgiAZaucBZVZOmkrUnBgCYBuwTWNZAT8="))]),
                    expiry: nil
                )
            ],
            version: 1,
            at: unixSeconds
        )
        let verdict = policy.verdict(
            for: try Hostname(parsing: "login.acme.example"),
            chain: try ValidatedChain(assertingValidated: derCertificates),
            now: unixSeconds
        )
        return verdict
    }
}
