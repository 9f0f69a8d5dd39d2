import Foundation
import TestLimits
import Testing

@testable import CredentialStores

/// Writes that the system refuses: the store keeps its state, and the next write works.
@Suite(.inTurn) struct RefusedWriteTests {
    @Test(
        "A full disk is an error, and the store is unchanged",
        .enabled(if: SmallDisk.isPermitted, SmallDisk.isDenied)
    )
    func fullDisk() async {
        await #expect(processExitsWith: .success) {
            try StoreSamples.inFolder { folder in
                try SmallDisk.mount(at: folder)
                defer { SmallDisk.unmount(folder) }
                let filler = folder.appending(path: "filler").path
                try refuseWrites(in: folder, with: .diskFull) {
                    let descriptor = unsafe open(filler, O_WRONLY | O_CREAT, 0o600)
                    let zeros = [UInt8](repeating: 0, count: 4096)
                    while unsafe write(descriptor, zeros, zeros.count) > 0 {}
                    close(descriptor)
                } afterwards: {
                    _ = unsafe unlink(filler)
                }
            }
        }
    }

    #if canImport(Glibc)
        @Test("A limit on the size of files is an error, and the store is unchanged") func limitedSize() async {
            await #expect(processExitsWith: .success) {
                try StoreSamples.inFolder { folder in
                    _ = signal(SIGXFSZ, SIG_IGN)
                    var limit = rlimit()
                    _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                    let usual = limit.rlim_cur
                    func set(_ bytes: rlim_t) {
                        limit.rlim_cur = bytes
                        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
                    }
                    try refuseWrites(in: folder, with: .diskFull) {
                        set(100)
                    } afterwards: {
                        set(usual)
                    }
                }
            }
        }
    #endif

    @Test("A read-only folder is an error, and the store is unchanged") func readOnlyFolder() async {
        await #expect(processExitsWith: .success) {
            try StoreSamples.inFolder { folder in
                // The superuser may write everywhere, so the test goes on as another user.
                let stranger: uid_t = 65_534
                if geteuid() == 0 {
                    #expect(unsafe chown(folder.path, stranger, stranger) == 0)
                    #expect(seteuid(stranger) == 0)
                }
                defer { _ = seteuid(getuid()) }
                defer { _ = unsafe chmod(folder.path, 0o700) }
                try refuseWrites(in: folder, with: .readOnly) {
                    _ = unsafe chmod(folder.path, 0o500)
                } afterwards: {
                    _ = unsafe chmod(folder.path, 0o700)
                }
                _ = unsafe chmod(folder.path, 0o500)
                let key = StoreKey.keyFile(path: folder.appending(path: "key").path)
                let other = folder.appending(path: "other").path
                #expect(throws: CredentialStoreError(place: other, problem: .readOnly)) {
                    _ = try SealedFile.create(at: other, key: key, now: 1)
                }
                #expect(throws: CredentialStoreError(place: other, problem: .readOnly)) {
                    try StoreKey.makeKeyFile(at: other)
                }
            }
        }
    }

    @Test("A file of another user is refused", .enabled(if: geteuid() == 0, "only the superuser may give files away"))
    func strangersFile() throws {
        try StoreSamples.inFolder { folder in
            let (path, key) = (folder.appending(path: "store").path, try StoreSamples.keyFile(in: folder))
            _ = try SealedFile.create(at: path, key: key, now: 1)
            #expect(unsafe chown(path, 65_534, 65_534) == 0)
            #expect(throws: CredentialStoreError(place: path, problem: .notOwned)) {
                _ = try SealedFile.open(at: path, key: key)
            }
        }
    }
}

/// Saves before, while and after the system refuses to write.
private func refuseWrites(
    in folder: URL,
    with problem: CredentialStoreError.Problem,
    meanwhile: () throws -> Void,
    afterwards: () throws -> Void
) throws {
    let (path, key) = (folder.appending(path: "store").path, try StoreSamples.keyFile(in: folder))
    let file = try SealedFile.create(at: path, key: key, now: StoreSamples.now)
    try file.save(StoreSamples.credential("https://a.example", secret: "old"))
    let before = try Data(contentsOf: URL(filePath: path))
    let large = try StoreSamples.credential("https://a.example", secret: String(repeating: "x", count: 16_000))
    try meanwhile()
    for _ in 0..<2 {
        #expect(throws: CredentialStoreError(place: path, problem: problem)) { try file.save(large) }
        #expect(throws: CredentialStoreError(place: path, problem: problem)) { _ = try file.removeAll() }
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(try SealedFile.open(at: path, key: key).list().count == 1)
    #expect(try file.list().count == 1)
    try afterwards()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["key", "store", "store.lock"])
    try file.save(large)
    let query = CredentialQuery(origin: try StoreSamples.origin("https://a.example"))
    #expect(try file.credentials(for: query, at: 1).first?.text.count == 16_000)
}

/// A file system of 64 KiB in memory.
private enum SmallDisk {
    static let isDenied: Comment = "this process may not mount a file system"

    static let isPermitted: Bool = {
        do {
            try StoreSamples.inFolder { (folder: URL) throws -> Void in
                try mount(at: folder)
                unmount(folder)
            }
            return true
        } catch {
            return false
        }
    }()

    static func mount(at folder: URL) throws {
        #if os(Linux)
            let options = "size=64k"
            guard unsafe Glibc.mount("tmpfs", folder.path, "tmpfs", 0, options) == 0 else { throw Absent() }
        #else
            throw Absent()
        #endif
    }

    static func unmount(_ folder: URL) {
        #if os(Linux)
            _ = unsafe umount2(folder.path, Int32(MNT_DETACH))
        #endif
    }
}
