import Foundation
import LiveServers
import Testing

@Suite(.inTurn) struct CredentialsRekeyCommandTests {
    private func made() throws -> StoreFolder {
        let folder = try StoreFolder()
        #expect(try folder.run(["add", "https://a.example", "--user", "u", "--stdin"], input: "s").status == 0)
        return folder
    }

    private func opens(_ folder: StoreFolder, _ options: [String]) throws -> Bool {
        let run = try folder.plain(["list", "--json"] + options)
        return run.status == 0 && run.output.contains("a.example")
    }

    @Test("The new key opens the store, and the old one does not") func replaces() throws {
        let folder = try made()
        let run = try folder.run(["rekey", "--to-key-file", folder.path("new")])
        #expect(
            run.status == 0 && run.output.hasPrefix("made the key file \(folder.path("new"))\nslot 2: key file, added ")
        )
        #expect(try opens(folder, ["--key-file", folder.path("new")]))
        #expect(try !opens(folder, ["--key-file", folder.path("key")]))
    }

    @Test("A systemd credential is a key of its own kind") func systemd() throws {
        let folder = try made()
        try FileManager.default.createDirectory(atPath: folder.path("credentials"), withIntermediateDirectories: true)
        try folder.write(String(repeating: "k", count: 32), "credentials/store-key", mode: 0o440)
        let run = try folder.run(["rekey", "--to-systemd-credential", "store-key", "--keep", "--json"])
        #expect(run.status == 0 && run.output.split(separator: "\n").count == 2)
        #expect(run.output.contains(#""slot":2,"kind":"systemd credential""#))
        #expect(try opens(folder, ["--systemd-credential", "store-key"]))
        #expect(try opens(folder, ["--key-file", folder.path("key")]))
    }

    @Test("The last slot stays, and a number that no slot has is an error") func lastSlot() throws {
        let folder = try made()
        let last = try folder.run(["rekey", "--remove", "1"])
        #expect(last.status == 2 && last.error.contains("the last key cannot be removed"))
        let none = try folder.run(["rekey", "--remove", "7"])
        #expect(none.status == 2 && none.error.contains("key slot 7 does not exist"))
        #expect(try opens(folder, ["--key-file", folder.path("key")]))
        #expect(try folder.run(["rekey", "--to-key-file", folder.path("new"), "--keep"]).status == 0)
        #expect(try folder.run(["rekey", "--remove", "2"]).status == 0)
        #expect(try !opens(folder, ["--key-file", folder.path("new")]))
    }

    @Test("Under a new data key the records are there, and old keys do not open it") func renewal() throws {
        let folder = try made()
        #expect(try folder.run(["rekey", "--to-key-file", folder.path("second"), "--keep"]).status == 0)
        #expect(try folder.run(["rekey", "--to-key-file", folder.path("third"), "--renew"]).status == 0)
        #expect(try opens(folder, ["--key-file", folder.path("third")]))
        for key in ["key", "second"] { #expect(try !opens(folder, ["--key-file", folder.path(key)])) }
    }

    @Test(
        "Options that contradict each other are usage errors",
        arguments: [
            [], ["--keep"], ["--to-passphrase", "--to-key-file", "f"], ["--to-key-file", "f", "--renew", "--keep"],
            ["--renew", "--remove", "1"],
        ]
    )
    func usage(_ options: [String]) throws {
        let run = try StoreFolder().run(["rekey"] + options)
        #expect(run.status == 2 && run.error.hasSuffix("see sallyport credentials rekey --help\n"))
    }
}
