import Foundation
import LiveServers
import Testing

@Suite(.inTurn) struct StoredSecretsTests {
    @Test("The store shows neither host, account, realm nor secret, and the verbs show no secret") func nothingShows()
        throws
    {
        let folder = try StoreFolder()
        let secret = "Zq7-hunter-secret"
        let shown = ["wiki.acme.example", "jdoe", "Intranet", secret, "acme"]
        try folder.write("machine wiki.acme.example login jdoe password \(secret)", ".netrc")
        let runs: [([String], String)] = [
            (["add", "https://wiki.acme.example", "--user", "jdoe", "--realm", "Intranet", "--stdin"], secret),
            (["add", "https://wiki.acme.example", "--kind", "token", "--stdin", "--json"], secret),
            (["import-netrc"], ""), (["import-netrc", "--json"], ""), (["list"], ""), (["list", "--json"], ""),
            (["rekey", "--to-key-file", folder.path("new"), "--keep"], ""),
            (["git", "store"], "protocol=https\nhost=git.acme.example\nusername=jdoe\npassword=\(secret)\n"),
            (["git", "erase"], "protocol=https\nhost=git.acme.example\nusername=jdoe\npassword=\(secret)\n"),
            (["git", "get"], "protocol=https\nhost=\(secret)\rx\n"), (["remove", "https://wiki.acme.example"], ""),
            (["add", secret, "--user", "u", "--stdin"], secret), (["list", "--stoer", secret], ""),
        ]
        for (arguments, input) in runs {
            _ = try folder.run(arguments, input: input)
            let bytes = try Data(contentsOf: URL(filePath: folder.store))
            for text in shown {
                for encoded in [Data(text.utf8), text.data(using: .utf16LittleEndian) ?? Data()] {
                    #expect(bytes.range(of: encoded) == nil, "\(text) after \(arguments[0])")
                }
            }
            #expect(!folder.written.contains(secret), "\(arguments)")
        }
        #expect(folder.written.contains("wiki.acme.example"), "the runs did what they should")
    }
}
