import CredentialStores
import Foundation
import Hostnames
import LiveServers
import Secrets
import Testing

/// What newer versions of Git hand to a helper (git-credential(1)), and what `sallyport credentials` shows of it. Debian's Git 2.39 knows
/// neither `oauth_refresh_token` nor `password_expiry_utc`, so the command is run as Git runs it.
@Suite(.inTurn) struct GitRefreshTokenTests {
    private let one = "protocol=https\nhost=a.example\npath=acme/one.git\n"
    private let old = "password=hunter2\n"
    private let new = "password=hunter3\n"
    private let token = "oauth_refresh_token=hunter4\n"
    private let later = "password_expiry_utc=4000000000\n"

    private func made() throws -> StoreFolder {
        let folder = try StoreFolder()
        #expect(try folder.run(["add", "https://other.example", "--user", "o", "--stdin"], input: "other").status == 0)
        return folder
    }

    private func git(_ operation: String, _ request: String, _ folder: StoreFolder) throws -> Set<String> {
        let run = try folder.run(["git", operation], input: request + "\n")
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        return Set(run.output.split(separator: "\n").map(String.init))
    }

    private func lines(_ text: String...) -> Set<String> {
        Set(text.joined().split(separator: "\n").map(String.init))
    }

    @Test("A refresh token and a time come back with their password, and stay if an older Git approves it again")
    func survive() throws {
        let folder = try made()
        for (place, user) in [(one, "u"), ("protocol=https\nhost=a.example\n", ""), ("protocol=http\nhost=b\n", "u")] {
            let named = "\(place)username=\(user)\n"
            _ = try git("store", named + old + token + later, folder)
            #expect(try git("get", place, folder) == lines(named, old, token, later))
            // Git 2.39 drops both lines.
            _ = try git("store", named + old, folder)
            #expect(try git("get", named, folder) == lines(named, old, token, later))
            _ = try git("store", named + old + "password_expiry_utc=4000000001\n", folder)
            #expect(try git("get", place, folder) == lines(named, old, token, "password_expiry_utc=4000000001\n"))
        }
    }

    @Test("Another password forgets the refresh token, and reject forgets both") func forgotten() throws {
        let folder = try made()
        let named = "\(one)username=u\n"
        _ = try git("store", named + old + token + later, folder)
        _ = try git("store", named + new, folder)
        #expect(try git("get", one, folder) == lines(named, new))
        _ = try git("store", named + new + token, folder)
        #expect(try git("get", one, folder) == lines(named, new, token))
        _ = try git("erase", named + old, folder)
        #expect(try git("get", one, folder) == lines(named, new, token))
        _ = try git("erase", one, folder)
        #expect(try git("get", one, folder).isEmpty)
        #expect(try folder.run(["list", "--json"]).output.split(separator: "\n").count == 1)
    }

    @Test("A refresh token outlives its password, because another helper gets a new one with it") func outlives()
        async throws
    {
        let folder = try made()
        let named = "\(one)username=u\n"
        _ = try git("store", named + old + token + later, folder)
        let store = try await SealedFileStore.open(at: folder.store, key: .keyFile(path: folder.path("key")))
        let space = CredentialSpace.path("acme/one.git", of: try Origin(parsing: "https://a.example"))
        let name = CredentialName(space: space, user: "u")
        let expired = StoredCredential(name: name, secret: SharedSecret(utf8: "hunter2"), created: 1, expires: 2)
        try await store.save(expired)
        #expect(try git("get", one, folder) == lines(named, token))
        // A password that has expired and has no refresh token is no answer.
        try await store.remove(CredentialName(space: space, user: "u", kind: .gitRefreshToken))
        #expect(try git("get", one, folder).isEmpty)
        _ = try git("erase", one, folder)
        #expect(try await store.list().count == 1)
    }

    @Test("A path is added, listed and removed; one that is too long is refused, and finds nothing") func paths() throws
    {
        let folder = try made()
        let add = ["add", "https://a.example", "--user", "u", "--stdin", "--path", "/acme/one.git/"]
        let added = try folder.run(add, input: "hunter2")
        #expect(added.output == "kept the password of u for https://a.example, path \"acme/one.git\"\n")
        #expect(try git("get", one, folder) == lines(one, "username=u\n", old))
        #expect(try git("get", "protocol=https\nhost=a.example\npath=acme\n", folder).isEmpty)
        #expect(try folder.run(["list"]).output.contains("https://a.example/acme/one.git  *  "))
        let listed = try folder.run(["list", "--json"]).output
        #expect(listed.contains(#""reach":"path","realm":null,"path":"acme/one.git""#), "\(listed)")
        let long = "protocol=https\nhost=a.example\npath=\(String(repeating: "x", count: 4097))\nusername=u\n"
        let refused = try folder.run(["git", "store"], input: long + old)
        #expect(refused.status == 2 && refused.error.contains("the path has 4097 bytes"), "\(refused.error)")
        #expect(try git("get", long, folder).isEmpty)
        let both = try folder.run(["remove", "https://a.example", "--user", "u", "--path", "a", "--realm", "r"])
        #expect(both.status != 0 && both.error.contains("Give --realm or --path"))
        let remove = ["remove", "https://a.example", "--user", "u", "--path"]
        #expect(try folder.run(remove + ["acme/two.git"]).status == 1)
        #expect(try folder.run(remove + ["acme/one.git"]).status == 0)
        #expect(try git("get", one, folder).isEmpty)
        #expect(!folder.written.replacing("password=hunter2", with: "").contains("hunter"))
    }
}
