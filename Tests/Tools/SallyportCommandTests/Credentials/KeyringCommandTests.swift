import Foundation
import LiveServers
import TestSupport
import Testing

/// `--keyring` of the verbs, with gnome-keyring and libsecret's own program.
@Suite(.inTurn, .needs(.keyring)) struct KeyringCommandTests {
    /// Runs `sallyport credentials` in the session.
    private func run(
        _ arguments: [String],
        _ keyring: DesktopKeyring,
        _ folder: StoreFolder,
        input: String = ""
    ) throws -> SallyportRun {
        let environment = folder.environment.merging(keyring.environment) { $1 }
        return try folder.plain(arguments + ["--keyring"], input: [UInt8](input.utf8), environment: environment)
    }

    @Test("A password is kept in the keyring, listed without it, and removed") func verbs() throws {
        let (keyring, folder) = (try DesktopKeyring(), try StoreFolder())
        let name = ["https://wiki.example", "--user", #"ACME\jdoe"#]
        let added = try run(["add"] + name + ["--stdin"], keyring, folder, input: "Zq7 Horse\n")
        #expect(added.status == 0 && added.error.isEmpty, "\(added.error)")
        #expect(added.output == "kept the password of ACME\\jdoe for https://wiki.example\n")
        let lookup = ["lookup", "xdg:schema", "org.sallyport.Credential", "host", "wiki.example", "user", "jdoe"]
        #expect(try keyring.secretTool(lookup).output == "Zq7 Horse")
        let listed = try run(["list", "--json"], keyring, folder).json()
        #expect(listed["url"] as? String == "https://wiki.example" && listed["domain"] as? String == "ACME")
        // A helper of Git finds it as well.
        let git = try run(["git", "get"], keyring, folder, input: "protocol=https\nhost=wiki.example\n\n")
        #expect(git.output.contains("password=Zq7 Horse\n"))
        #expect(try run(["remove"] + name, keyring, folder).status == 0)
        #expect(try keyring.secretTool(lookup).output.isEmpty)
        #expect(try run(["list"], keyring, folder).output.isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty,
            "there is no sealed store"
        )
    }

    @Test("get and explain answer from the keyring", .needs(.apache)) func requests() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        let (keyring, folder, store) = (try DesktopKeyring(), try RequestFolder(), try StoreFolder())
        defer { withExtendedLifetime(keyring) {} }
        let url = "\(try server.address())"
        let added = try run(
            ["add", url, "--user", "jdoe", "--stdin"],
            keyring,
            store,
            input: GuardedServer.password
        )
        #expect(added.status == 0, "\(added.error)")
        let environment = keyring.environment
        let page = "\(url)\(server.page(1))"
        let got = try await folder.live(["get", page, "--keyring", "--no-prompt"], environment: environment)
        #expect(got.status == 0 && got.output == "<p>in</p>\n", "\(got.error)")
        let explained = try await folder.live(["explain", page, "--keyring", "--no-prompt"], environment: environment)
        #expect(explained.status == 0 && explained.output.contains("the keyring"), "\(explained.output)")
        #expect(try server.takeBadLogOns() == 0)
        // Without the option nothing looks into it.
        let without = try await folder.live(["get", page, "--no-prompt"], environment: environment)
        #expect(without.status == 1, "\(without.error)")
        #expect(!folder.written.contains(GuardedServer.password))
    }

    @Test("A locked keyring ends each verb with the option that unlocks it, and relay does not start") func locked()
        throws
    {
        let (keyring, folder) = (try DesktopKeyring(), try StoreFolder())
        defer { withExtendedLifetime(keyring) {} }
        try keyring.lock()
        let listed = try run(["list"], keyring, folder)
        #expect(listed.status == 2)
        #expect(
            listed.error
                == "sallyport credentials list: keyring: it is locked: unlock it with the desktop's program, or give --unlock-keyring\n"
        )
        for arguments in [["get", "https://127.0.0.1:1/"], ["relay", "--parent", "127.0.0.1:1", "--no-config"]] {
            // `get` opens a store at the first challenge, so a certificate of the store is named.
            let identity = arguments[0] == "get" ? ["--cert-identity", "x"] : []
            let run = try SallyportRun(arguments + ["--keyring"] + identity, environment: keyring.environment)
            #expect(run.status == 2 && run.error.contains("it is locked"), "\(run.error)")
        }
    }

    @Test("Options that do not go together are refused") func options() throws {
        let folder = try StoreFolder()
        for (arguments, problem) in [
            (["list", "--keyring", "--store", "x"], "--keyring needs no file and no key"),
            (["list", "--unlock-keyring"], "give --keyring, too"),
            (["list", "--group", "root"], "name it with --store"),
            (["rekey", "--keyring", "--remove", "1"], "a keyring has no keys of Sallyport's"),
        ] {
            let run = try folder.plain(arguments)
            #expect(run.status == 2 && run.error.contains(problem), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
    }
}
