import AllowedSites
import Credentials
import Foundation
import HTTPTypes
import Hostnames
import SPKIPins
import Sallyport
import Synchronization
import TestLimits
import TestSupport
import Testing

@Suite(.inTurn) struct CurrentHandlerTests {
    @Test("A replaced handler keeps refusals, and all parts of a profile change at once") func replacement() throws {
        let fields = TestProfile.fields("Basic realm=x")
        let current = CurrentHandler(try TestProfile.handler())
        var exchange = current.handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        _ = exchange.received(status: 401, fields: fields)
        #expect(exchange.received(status: 401, fields: fields).refusalCode == "credentials-refused")
        current.replace(with: try CompiledProfile(TestProfile.make(), at: 0))
        var next = current.handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(next.received(status: 401, fields: fields).refusalCode == "budget-spent")
    }

    @Test("Readers never see the sites of one profile with the accounts of another") func wholeProfiles() async throws {
        // Profile n allows site n and has the account n there, and nothing else.
        let compiled = try (0..<2).map { number in
            let rule = "host\(number).example"
            let account = Account(name: "a\(number)", user: "u", password: TestProfile.secret("p"))
            return try CompiledProfile(
                SecurityProfile(
                    sites: try SiteList(parsing: rule, name: "test"),
                    schemes: [.basic],
                    accounts: [.init(account, sites: [rule])]
                ),
                at: 0
            )
        }
        let current = CurrentHandler(ChallengeHandler(compiled[0]))
        let spaces = try (0..<2).map {
            ProtectionSpace(
                origin: try Origin(parsing: "https://host\($0).example"),
                kind: .http(schemes: [.basic], party: .origin)
            )
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<2000 { current.replace(with: compiled[round % 2]) }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<20_000 {
                        let handler = current.handler
                        let answered = spaces.filter { handler.canHandle($0) == .yes }.count
                        #expect(answered == 1)
                    }
                }
            }
        }
    }

    @Test("A profile may take its sites and pins from mapped images") func mappedImages() throws {
        let folder = TemporaryFolder.place("images")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let genuine = try RecordedChain.first("pin-leaf", reason: "pinned")
        let leaf = genuine.der[0]
        let entry = PinPolicy.Entry(
            host: genuine.host.description,
            pins: [.init(try Pin(ofCertificate: leaf.span), at: .leaf)],
            backup: .pins([.init(try Pin(parsing: String(repeating: "ab", count: 32)))]),
            expiry: nil
        )
        let sites = folder.appending(path: "sites").path
        let pins = folder.appending(path: "pins").path
        try SiteTrie(compiling: SiteList(parsing: "*.acme.example", name: "test")).writeImage(to: sites)
        try Data(PinPolicy(compiling: [entry], version: 1, at: 0).image).write(to: URL(filePath: pins))

        var profile = try TestProfile.make()
        // The profile itself allows and pins nothing.
        profile.sites = try SiteList(parsing: "", name: "empty")
        let handler = ChallengeHandler(
            try CompiledProfile(
                profile,
                at: 0,
                sites: SiteTrie(mappingImageAt: sites),
                pins: PinPolicy(mappingImageAt: pins)
            )
        )
        var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(exchange.received(status: 401, fields: TestProfile.fields("Basic realm=x")).answer != nil)
        let chain = try ValidatedChain(assertingValidated: genuine.der)
        guard case .trusted(.matched) = handler.evaluate(ServerTrust(host: genuine.host, chain: chain), now: 0) else {
            Issue.record("the mapped pins are not used")
            return
        }
    }

    @Test("Updates of accounts keep each other, and passwords that were replaced in the handler") func updates()
        async throws
    {
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "test"),
            schemes: [.basic],
            accounts: (0..<16).map { number in
                .init(
                    Account(name: "a\(number)", user: "u", password: TestProfile.secret("old")),
                    sites: ["h\(number).acme.example"]
                )
            }
        )
        let current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
        try current.handler.updateUserCredentials(account: "a0", password: TestProfile.secret("in place"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1..<16 {
                group.addTask {
                    try current.update(at: 0) { profile throws(ProfileError) in
                        let account = profile.accounts[number].account
                        profile.accounts[number].account = account.replacing(password: TestProfile.secret("new"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(current.handler.compiled.profile.version == 16)
        for number in 0..<16 {
            let password = current.handler.account(named: "a\(number)")?.credential.password
            #expect(password?.withBytes { $0.count } == (number == 0 ? 8 : 3))
        }
        let before = current.handler
        #expect(throws: ProfileError.duplicateName("a1")) {
            try current.update(at: 0) { profile throws(ProfileError) in profile.accounts.append(profile.accounts[1]) }
        }
        #expect(current.handler === before)
    }
}
