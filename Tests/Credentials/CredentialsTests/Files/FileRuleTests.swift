import Credentials
import Testing

@Suite struct FileRuleTests {
    /// A mode and an owner, as process 1000 sees them, and whether the rule for secrets takes them.
    static let secrets: [(mode: UInt16, owner: UInt32, problem: PrivateFileProblem?)] = [
        (0o600, 1000, nil), (0o400, 1000, nil), (0o700, 1000, nil),
        (0o640, 1000, .othersMayUse(mode: 0o640)), (0o440, 1000, .othersMayUse(mode: 0o440)),
        (0o604, 1000, .othersMayUse(mode: 0o604)), (0o620, 1000, .othersMayUse(mode: 0o620)),
        (0o601, 1000, .othersMayUse(mode: 0o601)), (0o610, 1000, .othersMayUse(mode: 0o610)),
        // Kubernetes: a volume of a Secret with fsGroup and defaultMode 0400 has 0440, with 0600 it has 0660.
        (0o440, 0, nil), (0o640, 0, nil), (0o400, 0, nil), (0o600, 0, nil),
        (0o660, 0, .othersMayUseRoots(mode: 0o660)), (0o644, 0, .othersMayUseRoots(mode: 0o644)),
        (0o444, 0, .othersMayUseRoots(mode: 0o444)), (0o777, 0, .othersMayUseRoots(mode: 0o777)),
        (0o600, 1001, .notOwned), (0o400, 1001, .notOwned), (0o644, 65_534, .notOwned),
    ]

    @Test("A secret is of this user alone, or of root for a group", arguments: secrets)
    func secret(mode: UInt16, owner: UInt32, problem: PrivateFileProblem?) {
        #expect(FileRule.secret.problem(mode: mode, owner: owner, user: 1000) == problem)
    }

    @Test("For root, a file of root's is one of its own", arguments: [0o440, 0o640, 0o604] as [UInt16])
    func root(mode: UInt16) {
        #expect(FileRule.secret.problem(mode: mode, owner: 0, user: 0) == .othersMayUse(mode: mode))
        #expect(FileRule.secret.problem(mode: 0o600, owner: 0, user: 0) == nil)
        #expect(FileRule.secret.problem(mode: 0o600, owner: 1000, user: 0) == .notOwned)
    }

    @Test("A credential of systemd may be readable to its group, for every user") func systemd() {
        for user in [0, 1000] as [UInt32] {
            #expect(FileRule.systemdCredential.problem(mode: 0o440, owner: 0, user: user) == nil)
            #expect(FileRule.systemdCredential.problem(mode: 0o440, owner: user, user: user) == nil)
            #expect(FileRule.systemdCredential.problem(mode: 0o444, owner: 0, user: user) != nil)
            #expect(FileRule.systemdCredential.problem(mode: 0o400, owner: 1001, user: user) == .notOwned)
        }
    }

    @Test("Each problem says what to do") func texts() {
        #expect("\(PrivateFileProblem.othersMayUse(mode: 0o644))".contains("(mode 644): run chmod 600"))
        #expect("\(PrivateFileProblem.othersMayUseRoots(mode: 0o644))".contains("mode 0440"))
        #expect("\(PrivateFileProblem.notOwned)".contains("belongs to another user: run as that user"))
    }
}
