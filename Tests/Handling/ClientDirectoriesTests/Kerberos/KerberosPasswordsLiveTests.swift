import LiveServers
import TestSupport
import Testing

/// Passwords that a KDC judges.
@Suite(.inTurn, .serialized, .needs(.kerberos)) struct KerberosPasswordsLiveTests {
    private static func ask(
        _ lines: [String],
        in realm: KerberosRealm,
        keytab: String,
        beforeLast: @escaping @Sendable () throws -> Void = {}
    ) async throws -> [String] {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let process = try HelperProcess(
                [
                    BuiltProgram.forTests, "directory", "kerberos", "--realm", KerberosRealm.name, "--host",
                    "localhost",
                    "--keytab", keytab,
                ],
                environment: realm.environment()
            )
            return try lines.enumerated().map { index, line in
                if index == lines.count - 1 { try beforeLast() }
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
        let answers = try await Self.ask(questions.map(\.0), in: realm, keytab: realm.path("http.keytab")) {
            try realm.stop()
        }
        #expect(answers == questions.map(\.1))
        // The KDC was silent at the last question: an accepted password is not asked about again.
    }

    @Test(
        "A forged KDC, which has the realm's name and the account's password but not the server's key, lets nobody in"
    )
    func forged() async throws {
        let (realm, forged) = (try await KerberosRealm.started(), try await KerberosRealm.started())
        let answers = try await Self.ask(
            ["basic jdoe Correct-Horse"],
            in: forged,
            keytab: realm.path("http.keytab")
        )
        #expect(
            answers[0].hasPrefix("error: Kerberos cannot check a log-on: the ticket is for another key or service"),
            "\(answers)"
        )
    }
}
