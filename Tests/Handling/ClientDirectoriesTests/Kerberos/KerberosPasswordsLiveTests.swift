import LiveServers
import TestSupport
import Testing

/// Passwords that a KDC judges.
@Suite(.inTurn, .serialized, .needs(.kerberos)) struct KerberosPasswordsLiveTests {
    private static func ask(_ lines: [String], in realm: KerberosRealm, keytab: String) async throws -> [String] {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let process = try HelperProcess(
                [
                    BuiltProgram.forTests, "directory", "kerberos", "--realm", KerberosRealm.name, "--host",
                    "localhost",
                    "--keytab", realm.path(keytab),
                ],
                environment: realm.environment()
            )
            return try lines.map { line in
                try process.send(line)
                return try process.readLine()
            }
        }
    }

    @Test("Right and wrong passwords, unknown accounts, and names with the realm")
    func judged() async throws {
        let realm = try await KerberosRealm.started()
        let questions = [
            ("basic jdoe Correct-Horse", "right"), ("basic jdoe wrong", "wrong"), ("basic nobody wrong", "wrong"),
            ("basic jdoe@acme.test Correct-Horse", "right"), ("basic ACME.TEST\\ada Other-Horse", "right"),
            ("basic OTHER\\ada Other-Horse", "wrong"), ("basic jdoe@OTHER.TEST Correct-Horse", "wrong"),
            ("basic jdoe/admin Correct-Horse", "wrong"), ("basic jdoe Correct-Horse", "right"),
        ]
        let answers = try await Self.ask(questions.map(\.0), in: realm, keytab: "http.keytab")
        #expect(answers == questions.map(\.1))
        // Once from the KDC, and then from memory; a wrong one each time.
        #expect(try realm.refusals(of: "jdoe") == 1)
    }

    @Test("A KDC whose tickets the keytab does not prove lets nobody in")
    func forged() async throws {
        let realm = try await KerberosRealm.started()
        // The key of another service stands for a keytab that this KDC does not know.
        let answers = try await Self.ask(["basic jdoe Correct-Horse"], in: realm, keytab: "other.keytab")
        #expect(answers[0].hasPrefix("error: "), "\(answers)")
    }
}
