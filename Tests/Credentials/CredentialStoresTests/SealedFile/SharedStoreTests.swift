import Credentials
import Foundation
import LiveServers
import Secrets
import TestSupport
import Testing

@testable import CredentialStores

/// A sealed file that the members of a group share. Users and group are numbers without names, as in a container.
@Suite(.row(25), .inTurn, .enabled(if: geteuid() == 0, "only root can become other users")) struct SharedStoreTests {
    private static let group: gid_t = 46_011
    private static let (ada, bob): (uid_t, uid_t) = (46_001, 46_002)
    private static let now = StoreSamples.now

    /// Calls `body` as another user of this process, who is in these groups besides a group of his own.
    private static func be<Result>(_ user: uid_t, _ groups: [gid_t] = [group], _ body: () throws -> Result) throws
        -> Result
    {
        #expect(unsafe setgroups(groups.count, groups) == 0)
        #expect(setegid(46_099) == 0 && seteuid(user) == 0)
        defer { #expect(seteuid(0) == 0 && setegid(0) == 0) }
        return try body()
    }

    /// A folder of the group's with a key file of the group's.
    private static func inFolder(_ mode: mode_t = 0o2770, _ body: (String, StoreKey, StoreGroup) throws -> Void) throws
    {
        try StoreSamples.inFolder { folder in
            let group = try StoreGroup("\(Self.group)")
            // The key lies beside, where its own permissions count.
            let key = folder.appending(path: "key").path
            try StoreKey.makeKeyFile(at: key, sharedWith: group)
            let place = folder.appending(path: "shared").path
            #expect(unsafe mkdir(place, 0o700) == 0 && chown(place, 0, Self.group) == 0 && chmod(place, mode) == 0)
            #expect(unsafe chmod(folder.path, 0o711) == 0)
            try body("\(place)/store", .keyFile(path: key), group)
        }
    }

    /// Owner, group and permissions.
    private static func state(_ path: String) throws -> [UInt32] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return [FileAttributeKey.ownerAccountID, .groupOwnerAccountID, .posixPermissions].map {
            (attributes[$0] as? NSNumber)?.uint32Value ?? .max
        }
    }

    private static func expect(
        _ problem: GroupProblem,
        at place: String,
        _ comment: Comment? = nil,
        _ body: () throws -> Void
    ) {
        #expect(throws: CredentialStoreError(place: place, problem: .group(problem)), comment, performing: body)
    }

    @Test("Members read and replace each other's file, which stays the group's whatever they mask") func members() async
    {
        await #expect(processExitsWith: .success) {
            umask(0o077)
            try Self.inFolder { path, key, group in
                #expect(try Self.state(path.replacing("shared/store", with: "key")) == [0, Self.group, 0o640])
                let first = try Self.be(Self.ada) {
                    let file = try SealedFile.create(at: path, key: key, now: Self.now, sharedWith: group)
                    try file.save(StoreSamples.credential("https://a.example", secret: "of Ada"))
                    return file
                }
                #expect(try Self.state(path) == [Self.ada, Self.group, 0o660])
                #expect(try Self.state(path + ".lock") == [Self.ada, Self.group, 0o660])
                try Self.be(Self.bob) {
                    let file = try SealedFile.open(at: path, key: key, sharedWith: group)
                    try file.save(StoreSamples.credential("https://b.example", secret: "of Bob"))
                }
                #expect(try Self.state(path) == [Self.bob, Self.group, 0o660])
                // One that was open sees the other member's write, and its own later write keeps both.
                try Self.be(Self.ada) {
                    let query = CredentialQuery(origin: try StoreSamples.origin("https://b.example"))
                    #expect(try first.credentials(for: query, at: Self.now).map(\.text) == ["of Bob"])
                    try first.save(StoreSamples.credential("https://c.example", secret: "s"))
                    #expect(try first.list().count == 3)
                }
            }
        }
    }

    @Test("Where members may not write to the folder, they read") func readers() async {
        await #expect(processExitsWith: .success) {
            try Self.inFolder(0o2750) { path, key, group in
                let file = try SealedFile.create(at: path, key: key, now: Self.now, sharedWith: group)
                try file.save(StoreSamples.credential("https://a.example", secret: "s"))
                #expect(try Self.state(path) == [0, Self.group, 0o640])
                try Self.be(Self.bob) {
                    let file = try SealedFile.open(at: path, key: key, sharedWith: group)
                    #expect(try file.list().count == 1)
                    #expect(throws: CredentialStoreError(place: path, problem: .readOnly)) { try file.removeAll() }
                }
            }
        }
    }

    @Test("Who is no member, and a caller that names no group, gets nothing") func strangers() async {
        await #expect(processExitsWith: .success) {
            try Self.inFolder { path, key, group in
                _ = try SealedFile.create(at: path, key: key, now: Self.now, sharedWith: group)
                #expect(throws: CredentialStoreError(place: path, problem: .othersMayUse(mode: 0o660))) {
                    _ = try SealedFile.open(at: path, key: .passphrase("p"))
                }
                try Self.be(Self.bob, []) {
                    let own = StoreKey.passphrase("p")
                    Self.expect(.notMember, at: path) {
                        _ = try SealedFile.create(at: path, key: own, now: 1, sharedWith: group)
                    }
                }
            }
            Self.expect(.unknown, at: "group no-such-group") { _ = try StoreGroup("no-such-group") }
            #expect(try StoreGroup("root") == StoreGroup("root") && StoreGroup("root").identifier == 0)
        }
    }

    @Test("A folder, a file, a lock or a key that is not the group's alone is refused with its remedy") func rules()
        async
    {
        await #expect(processExitsWith: .success) {
            try Self.inFolder { path, key, group in
                _ = try SealedFile.create(at: path, key: key, now: Self.now, sharedWith: group)
                let folder = String(path.dropLast("/store".count))
                let name = "\(Self.group)"
                func refused(_ problem: GroupProblem, at place: String = path, _ comment: Comment? = nil) {
                    Self.expect(problem, at: place, comment) {
                        _ = try SealedFile.open(at: path, key: key, sharedWith: group)
                    }
                }
                for mode: mode_t in [0o2771, 0o2774, 0o2772, 0o3770, 0o700, 0o720] {
                    #expect(unsafe chmod(folder, mode) == 0)
                    refused(.folderMode(UInt16(mode), group: name), "\(String(mode, radix: 8))")
                }
                #expect(unsafe chmod(folder, 0o2770) == 0 && chown(folder, 0, 46_012) == 0)
                refused(.folderOfOtherGroup(group: name))
                // The change of the owner takes the bit away.
                #expect(unsafe chown(folder, Self.bob, Self.group) == 0 && chmod(folder, 0o2770) == 0)
                refused(.folderOfStranger(user: Self.bob))
                #expect(unsafe chown(folder, 0, Self.group) == 0)
                for mode: mode_t in [0o600, 0o644, 0o664, 0o666, 0o661, 0o770, 0o620] {
                    #expect(unsafe chmod(path, mode) == 0)
                    refused(.fileMode(UInt16(mode)), "\(String(mode, radix: 8))")
                }
                #expect(unsafe chmod(path, 0o660) == 0 && chown(path, Self.ada, 0) == 0)
                refused(.fileOfOtherGroup(group: name))
                #expect(unsafe chown(path, Self.ada, Self.group) == 0)
                let keyPath = path.replacing("shared/store", with: "key")
                for mode: mode_t in [0o660, 0o644, 0o650] {
                    #expect(unsafe chmod(keyPath, mode) == 0)
                    refused(.key(mode: UInt16(mode), group: name), at: keyPath, "\(String(mode, radix: 8))")
                }
                #expect(unsafe chmod(keyPath, 0o640) == 0)
                let lock = path + ".lock"
                #expect(unsafe chown(lock, Self.ada, 0) == 0 && chmod(lock, 0o600) == 0)
                try Self.be(Self.bob) {
                    let file = try SealedFile.open(at: path, key: key, sharedWith: group)
                    Self.expect(.lock(group: name), at: path) {
                        try file.save(StoreSamples.credential("https://a.example", secret: "s"))
                    }
                }
                let elsewhere = path.replacing("shared/store", with: "none/store")
                Self.expect(.noFolder(group: name), at: elsewhere) {
                    _ = try SealedFile.create(at: elsewhere, key: key, now: 1, sharedWith: group)
                }
            }
        }
    }
}
