import Foundation
import LiveServers
import Testing

@Suite(.inTurn) struct CredentialsImportCommandTests {
    private static let netrc = """
        machine a.example login jdoe password "two words"
        machine 192.0.2.1 login w password hunter2
        machine a/b login u password hunter3
        machine c.example login x
        machine d.example password hunter4
        machine e.example login "ACME\\\\jdoe" password hunter5
        default login d password hunter6

        """

    @Test("What was kept and what was skipped is reported, and no password") func reports() async throws {
        let folder = try StoreFolder()
        try folder.write(Self.netrc, ".netrc")
        let run = try folder.run(["import-netrc"])
        #expect(run.status == 1 && run.error.isEmpty)
        #expect(
            run.output.split(separator: "\n").dropFirst(2) == [
                "line 1: kept the password of jdoe for https://a.example, all ports",
                "line 2: kept the password of w for https://192.0.2.1, all ports",
                "line 3: skipped, because \"a/b\" is not the name of a host",
                "line 4: skipped, because it has no password", "line 5: skipped, because it has no login",
                "line 6: kept the password of ACME\\jdoe for https://e.example, all ports",
                "line 7: skipped, because it names no host",
            ]
        )
        #expect(try await folder.found("https://a.example:8443") == ["password - jdoe two words"])
        #expect(try await folder.found("https://e.example") == ["password ACME jdoe hunter5"])
        #expect(try await folder.found("http://a.example") == [])
        #expect(!folder.written.contains("hunter") && !folder.written.contains("two words"))
    }

    @Test("A record that exists stays, unless it is to be replaced") func existing() async throws {
        let folder = try StoreFolder()
        let first = try folder.write("machine a.example login u password one", "first")
        let second = try folder.write("machine a.example login u password two", "second")
        #expect(try folder.run(["import-netrc", first, "--scheme", "http"]).status == 0)
        let again = try folder.run(["import-netrc", second, "--scheme", "http", "--json"])
        #expect(again.status == 1)
        #expect(try again.json()["outcome"] as? String == "skipped")
        #expect(try await folder.found("http://a.example") == ["password - u one"])
        #expect(try folder.run(["import-netrc", second, "--scheme", "http", "--replace"]).status == 0)
        #expect(try await folder.found("http://a.example") == ["password - u two"])
    }

    @Test("A file with an error is refused as a whole") func malformed() throws {
        let folder = try StoreFolder()
        let file = try folder.write("machine a.example login u password hunter2\nhunter3\n", "netrc")
        let run = try folder.run(["import-netrc", file])
        #expect(run.status == 2 && run.error.contains(":2: a word is not a keyword") && !run.error.contains("hunter"))
        #expect(!FileManager.default.fileExists(atPath: folder.store))
    }
}
