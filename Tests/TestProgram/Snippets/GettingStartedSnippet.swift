import Sallyport

/// README's profile, and the loop of GettingStarted.md. What the page leaves to its reader is in `OneConnection`.
enum GettingStartedSnippet {
    static func response(
        pathOfSecret: String,
        send: (OutgoingRequest, RequestSending) async throws -> Response,
        fetch: (SystemMessageNeed) async throws -> SchemeSupply
    ) async throws -> (Response?, RequestOutcome) {
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
            case .wait(let turn):
                try await turn.ready()  // another request tries this password now
                step = authentication.resume()
            case .needs(let need):
                step = authentication.supplied(try await fetch(need))  // Basic, Digest and NTLM never ask
            case .deliver(let outcome):
                return (response, outcome)  // accepted, not challenged, or withheld and why
            }
        }
    }
}
