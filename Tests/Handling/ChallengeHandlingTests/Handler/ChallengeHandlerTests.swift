import AllowedSites
import Credentials
import HTTPAuthentication
import Hostnames
import Sallyport
import TestSupport
import Testing

@Suite struct ChallengeHandlerTests {
    func space(_ origin: String, _ schemes: [AuthenticationScheme] = [.basic]) throws -> ProtectionSpace {
        ProtectionSpace(origin: try Origin(parsing: origin), kind: .http(schemes: schemes, party: .origin))
    }

    @Test("canHandle is the conjunction of site, scheme and credential", .row(8, 12)) func canHandle() throws {
        let handler = try TestProfile.handler(schemes: [.digest, .basic])
        #expect(handler.canHandle(try space("https://wiki.acme.example")) == .yes)
        #expect(handler.canHandle(try space("https://wiki.acme.example", [.ntlm])) == .no(.noSupportedScheme))
        guard case .no(.siteNotAllowed) = handler.canHandle(try space("https://partner.example")) else {
            Issue.record("a site outside the list can be handled")
            return
        }
        var profile = try TestProfile.make()
        profile.accounts = []
        let empty = try ChallengeHandler(still: profile)
        #expect(empty.canHandle(try space("https://wiki.acme.example")) == .no(.noCredential))
    }

    @Test(.row(12)) func askingHasNoEffect() throws {
        let handler = try TestProfile.handler()
        for _ in 0..<3 { #expect(handler.canHandle(try space("https://wiki.acme.example", [.ntlm])) == .yes) }
        var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(exchange.received(status: 401, fields: TestProfile.fields("NTLM")).answer != nil)
    }

    @Test(.row(11)) func accountWithoutItsPassword() throws {
        let handler = try TestProfile.handler()
        #expect(handler.account(for: try space("https://build.acme.example"))?.name == "builder")
        #expect(handler.account(for: try space("https://partner.example")) == nil)
    }

    @Test(.row(53, 78)) func dispositions() throws {
        let handler = try TestProfile.handler(schemes: [.basic])
        func handle(_ origin: String, _ challenge: String, status: Int = 401) throws -> Disposition {
            let request = try TestProfile.request(origin)
            return handler.handle(.http(request, status: status, fields: TestProfile.fields(challenge)))
        }
        guard case .useCredential(.answer(let answer, _)) = try handle("https://wiki.acme.example", "Basic realm=x")
        else {
            Issue.record("an allowed Basic challenge is answered")
            return
        }
        #expect(answer.account == "jdoe")
        guard case .rejectProtectionSpace = try handle("https://wiki.acme.example", "NTLM") else {
            Issue.record("a scheme outside the profile is rejected")
            return
        }
        guard case .continueWithoutCredential = try handle("https://partner.example", "Basic realm=x") else {
            Issue.record("a site outside the list gets no credential")
            return
        }
        guard case .performDefaultHandling = try handle("https://wiki.acme.example", "Basic realm=x", status: 200)
        else {
            Issue.record("no challenge, nothing to do")
            return
        }
    }

    @Test func updatingAnUnknownAccountIsAnError() throws {
        let handler = try TestProfile.handler()
        #expect(throws: ProfileError.unknownAccount("nobody")) {
            try handler.updateUserCredentials(account: "nobody", password: TestProfile.secret("x"))
        }
    }
}
