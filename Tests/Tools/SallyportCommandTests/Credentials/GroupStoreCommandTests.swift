import Foundation
import LiveServers
import Testing

/// `--group`: a store in a folder of the group's.
@Suite(.inTurn, .enabled(if: geteuid() == 0, "only root can give a folder to any group"))
struct GroupStoreCommandTests {
    private static let group = "46021"

    @Test("The first secret makes key and store for the group, and the other verbs use them") func shared() throws {
        let folder = try StoreFolder()
        let place = folder.path("shared")
        let options = ["--store", "\(place)/store", "--key-file", "\(place)/key"]
        let add = ["add", "https://a.example", "--user", "u", "--stdin"] + options
        let missing = try folder.plain(add + ["--group", Self.group], input: [0x73])
        #expect(
            missing.status == 2 && missing.error.contains("install -d -m 2770 -g \(Self.group) FOLDER"),
            "\(missing.error)"
        )
        let made = try SallyportRun(
            ["-d", "-m", "2770", "-g", Self.group, place],
            program: URL(filePath: "/usr/bin/install")
        )
        #expect(made.status == 0, "\(made.error)")
        let added = try folder.plain(add + ["--group", Self.group], input: [0x73])
        #expect(added.status == 0, "\(added.error)")
        #expect(try folder.mode("\(place)/store") == 0o660 && folder.mode("\(place)/store.lock") == 0o660)
        #expect(try folder.mode("\(place)/key") == 0o640)
        let listed = try folder.plain(["list"] + options + ["--group", Self.group])
        #expect(listed.status == 0 && listed.output.contains("https://a.example"))
        let rekeyed = try folder.plain(
            ["rekey", "--keep", "--to-key-file", "\(place)/other"] + options + ["--group", Self.group]
        )
        #expect(rekeyed.status == 0 && rekeyed.output.contains("slot 2: key file"), "\(rekeyed.error)")
        #expect(try folder.mode("\(place)/store") == 0o660)

        let without = try folder.plain(["list", "--store", "\(place)/store", "--key-file", folder.write(Self.key, "k")])
        #expect(without.status == 2 && without.error.contains("name the group with --group"), "\(without.error)")
        let unknown = try folder.plain(["list"] + options + ["--group", "no-such-group"])
        #expect(unknown.status == 2 && unknown.error.contains("group no-such-group: the machine has no such group"))
        let other = try folder.plain(["list"] + options + ["--group", "46022"])
        #expect(other.status == 2 && other.error.split(separator: "\n").count == 1, "\(other.error)")
    }

    /// 32 bytes, which open nothing.
    private static let key = String(repeating: "k", count: 32)
}
