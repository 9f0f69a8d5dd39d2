import AllowedSites
import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import TestSupport
import Testing

@Suite struct SystemAnswerTests {
    private func answer(
        _ origin: String,
        _ offers: String...,
        with scheme: AuthenticationScheme,
        by handler: ChallengeHandler
    ) throws -> String {
        var fields = HTTPFields()
        for offer in offers { fields.append(HTTPField(name: .wwwAuthenticate, value: offer)) }
        return switch handler.systemAnswer(to: try TestProfile.request(origin), fields: fields, with: scheme) {
        case .send(let account): account.account.name
        case .stronger(let scheme): "stronger: \(scheme)"
        case .refuse(let refusal): refusal.code
        }
    }

    @Test("The checks are those of an exchange, and no attempt begins", .row(15)) func checks() throws {
        let handler = try TestProfile.handler()
        let wiki = "https://wiki.acme.example"
        for _ in 0..<2 {
            #expect(try answer(wiki, "NTLM", "Basic realm=x", with: .ntlm, by: handler) == "jdoe")
            #expect(try answer(wiki, "NTLM", "Basic realm=x", with: .basic, by: handler) == "stronger: ntlm")
        }
        #expect(try answer(wiki, "Basic realm=x", with: .basic, by: handler) == "downgraded")
        #expect(try answer(wiki, with: .basic, by: handler) == "malformed-challenge")
        #expect(try answer("https://evil.example", "NTLM", with: .ntlm, by: handler) == "site-not-allowed")
        #expect(try answer("https://quarantine.acme.example", "NTLM", with: .ntlm, by: handler) == "site-not-allowed")
        let build = "https://build.acme.example"
        #expect(try answer(build, "Basic realm=x", with: .ntlm, by: handler) == "no-supported-scheme")
        #expect(try answer(build, "Bearer", with: .basic, by: handler) == "no-supported-scheme")
        // A line that cannot be read may offer the stronger scheme.
        let unreadable = #"Digest realm=""#
        #expect(try answer(build, unreadable, "Basic realm=x", with: .basic, by: handler) == "malformed-challenge")
        #expect(try answer(build, "Basic realm=x", with: .basic, by: handler) == "builder")
    }

    @Test("A reported refusal ends answers of both kinds until the password changes") func refusal() throws {
        let handler = try TestProfile.handler()
        let request = try TestProfile.request("https://build.acme.example")
        let fields = TestProfile.fields("Basic realm=x")
        guard case .send(let account) = handler.systemAnswer(to: request, fields: fields, with: .basic) else {
            Issue.record("no answer")
            return
        }
        account.wasRefused(by: request)
        #expect(try answer("https://build.acme.example", "Basic realm=x", with: .basic, by: handler) == "budget-spent")
        var exchange = handler.exchange(for: request)
        #expect(exchange.received(status: 401, fields: fields).refusalCode == "budget-spent")
        try handler.updateUserCredentials(account: "builder", password: TestProfile.secret("new"))
        guard case .send(let next) = handler.systemAnswer(to: request, fields: fields, with: .basic) else {
            Issue.record("no answer with the new password")
            return
        }
        #expect(next.passwordNumber != account.passwordNumber)
    }
}
