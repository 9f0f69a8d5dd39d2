import LiveServers
import Testing

/// Heimdal's library, which lacks some of MIT's functions.
@Suite(.inTurn, .needs(.kerberos, .heimdal), .serialized) struct HeimdalTests {
    private static let library = ["--library", "libgssapi.so.3"]

    @Test("The default cache, the default keytab and passwords log on; bindings are compared")
    func logsOn() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        let good = ["client jdoe@ACME.TEST unchecked true", "server true false HTTP/localhost@ACME.TEST"]
        #expect(try await Programs.run(["logon"] + Self.library, in: realm, cache: "jdoe.cache") == good)
        let password = ["--password", "Correct-Horse", "--principal", "jdoe"]
        #expect(try await Programs.run(["logon"] + Self.library + password, in: realm) == good)
        let wrong = ["logon", "--password", "wrong", "--principal", "jdoe"] + Self.library
        #expect(try await Programs.reason(wrong, in: realm) == "acquireCredential wrongPassword")
        let bindings = ["logon", "--bindings", "one", "--server-bindings", "two"] + Self.library
        #expect(try await Programs.reason(bindings, in: realm, cache: "jdoe.cache") == "accept bindingsMismatch")
    }

    @Test("A named cache or keytab is refused, and the error says what can be used")
    func namedStores() async throws {
        let realm = try await KerberosRealm.started()
        let cache = ["logon", "--cache", "FILE:\(realm.path("jdoe.cache"))"] + Self.library
        #expect(try await Programs.reason(cache, in: realm) == "acquireCredential unsupported")
        let lines = try await Programs.run(cache, in: realm)
        #expect(lines.last?.contains("set KRB5CCNAME or KRB5_KTNAME before the start") == true)
        #expect(try await Programs.run(["logon", "--describe"] + Self.library, in: realm) == ["false true true"])
    }
}
