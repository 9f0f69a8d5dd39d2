import LiveServers
import Testing

@Suite(.inTurn, .needs(.kerberos), .serialized) struct KerberosCredentialCacheTests {
    @Test("A wrong password reaches the KDC once, whatever the number of requests")
    func wrongPasswordOnce() async throws {
        let realm = try await KerberosRealm.started()
        let wrong = ["cache", "--count", "20", "--rounds", "3", "--password", "wrong", "--principal", "jdoe"]
        #expect(
            try await Programs.run(wrong, in: realm) == [
                "0 wrongPassword 20", "1 wrongPassword 20", "2 wrongPassword 20",
            ]
        )
        #expect(try realm.refusals(of: "jdoe") == 1)
    }

    @Test("One credential serves all requests; another password for the account is tried on its own")
    func shared() async throws {
        let realm = try await KerberosRealm.started()
        let right = ["cache", "--count", "20", "--password", "Correct-Horse", "--principal", "jdoe"]
        #expect(try await Programs.run(right, in: realm) == ["0 jdoe@ACME.TEST 20"])
        let lines = try await Programs.run(right + ["--then", "wrong"], in: realm)
        #expect(lines == ["0 jdoe@ACME.TEST 20", "then wrongPassword", "back jdoe@ACME.TEST", "then wrongPassword"])
        #expect(try realm.refusals(of: "jdoe") == 1)
    }
}
