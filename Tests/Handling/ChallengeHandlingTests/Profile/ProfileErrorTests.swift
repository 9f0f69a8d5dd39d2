import AllowedSites
import Credentials
import HTTPAuthentication
import Sallyport
import Testing

@Suite struct ProfileErrorTests {
    func compile(_ change: (inout SecurityProfile) -> Void) throws {
        var profile = try TestProfile.make()
        change(&profile)
        _ = try ChallengeHandler(profile: profile, at: 0)
    }

    @Test func twoAccountsOfOneName() {
        #expect(throws: ProfileError.duplicateName("jdoe")) {
            try compile { $0.accounts.append(.init(TestProfile.account("jdoe"), sites: ["x.acme.example"])) }
        }
    }

    @Test func anAccountWithoutSites() {
        #expect(throws: ProfileError.assignmentWithoutSites(name: "idle")) {
            try compile { $0.accounts.append(.init(TestProfile.account("idle"), sites: [])) }
        }
    }

    @Test func twoAccountsForOneRule() {
        let error = ProfileError.ruleAssignedTwice(rule: "*.acme.example", first: "jdoe", second: "other")
        #expect(throws: error) {
            try compile { $0.accounts.append(.init(TestProfile.account("other"), sites: ["*.acme.example"])) }
        }
    }

    @Test("The same rule in another spelling") func twoSpellingsOfOneRule() {
        let error = ProfileError.ruleAssignedTwice(rule: "https://*.ACME.example", first: "jdoe", second: "other")
        #expect(throws: error) {
            try compile {
                $0.accounts.append(.init(TestProfile.account("other"), sites: ["https://*.ACME.example"]))
            }
        }
    }

    @Test(
        "Rules that would mean something else",
        arguments: ["!x.acme.example", "a.example # b", "a.example\nb.example"]
    )
    func deceptiveRules(rule: String) {
        #expect(throws: ProfileError.self) {
            try compile { $0.accounts.append(.init(TestProfile.account("other"), sites: [rule])) }
        }
    }

    @Test func aMalformedRuleNamesItsOwner() {
        do {
            try compile {
                $0.accounts.append(.init(TestProfile.account("other"), sites: ["ok.example", "*evil.example"]))
            }
            Issue.record("the rule was accepted")
        } catch {
            #expect("\(error)".contains("'other'") && "\(error)".contains("*evil.example"))
        }
    }

    @Test func schemesThatCannotBeAnswered() {
        #expect(throws: ProfileError.schemeNotAnswerable(.init("hoba"))) {
            try compile { $0.schemes = [.init("hoba")] }
        }
        #expect(throws: ProfileError.duplicateScheme(.basic)) { try compile { $0.schemes = [.basic, .basic] } }
    }
}
