import Foundation
import Hostnames
import Secrets
import TestLimits
import Testing
import WireFormat

@testable import CredentialStores

/// One sealed file: what opens it, what it shows, and what its readers and writers see of each other.
@Suite(.inTurn) struct SealedFileTests {
    /// A new store with one record.
    private func made(_ body: (SealedFile, URL, StoreKey, URL) throws -> Void) throws {
        try StoreSamples.inNewFile { file, path, key, folder in
            try file.save(StoreSamples.credential("https://a.example", secret: "first"))
            try body(file, path, key, folder)
        }
    }

    private func problem(
        _ expected: CredentialStoreError.Problem,
        _ comment: Comment? = nil,
        _ body: () throws(CredentialStoreError) -> Void
    ) {
        do throws(CredentialStoreError) {
            try body()
            Issue.record("no error instead of \(expected)")
        } catch {
            #expect(error.problem == expected, comment)
            #expect(!error.description.contains("\n") && error.description.hasPrefix(error.place + ": "))
        }
    }

    private func secret(_ file: SealedFile, _ host: String = "a.example") throws -> String? {
        let query = CredentialQuery(origin: try StoreSamples.origin("https://\(host)"))
        return try file.credentials(for: query, at: StoreSamples.now).first?.text
    }

    private func open(_ path: URL, _ key: StoreKey) throws(CredentialStoreError) -> SealedFile {
        try SealedFile.open(at: path.path, key: key)
    }

    // MARK: - Keys

    @Test("Each of several keys opens the file, and no other key does") func keys() throws {
        try made { file, path, key, folder in
            let (second, stranger) = (
                try StoreSamples.keyFile(in: folder, "2"), try StoreSamples.keyFile(in: folder, "3")
            )
            problem(.noKeySlot(.passphrase)) { () throws(CredentialStoreError) in
                _ = try open(path, .passphrase("Correct-Horse"))
            }
            let slots = try file.rekey(adding: [second, .passphrase("Correct-Horse")], removing: [], now: 7)
            #expect(slots.map(\.number) == [1, 2, 3])
            #expect(slots.map(\.kind) == [.keyFile, .keyFile, .passphrase])
            #expect(slots.map(\.created) == [StoreSamples.now, 7, 7])
            for key in [key, second, .passphrase("Correct-Horse")] {
                #expect(try secret(open(path, key)) == "first", "\(key)")
            }
            for key in [stranger, .passphrase("correct-horse"), .passphrase("Correct-Horse ")] {
                problem(.wrongKey, "\(key)") { () throws(CredentialStoreError) in _ = try open(path, key) }
            }
        }
    }

    @Test("A removed key opens nothing, its number is not used again, and the last key stays") func removedKeys() throws
    {
        try made { file, path, key, folder in
            let second = try StoreSamples.keyFile(in: folder, "2")
            #expect(try file.rekey(adding: [second], removing: [1], now: 1).map(\.number) == [2])
            problem(.wrongKey) { () throws(CredentialStoreError) in _ = try open(path, key) }
            #expect(try secret(open(path, second)) == "first")
            #expect(try file.rekey(adding: [key], removing: [], now: 1).map(\.number) == [2, 3])
            problem(.noSuchKeySlot(1)) { () throws(CredentialStoreError) in
                _ = try file.rekey(adding: [], removing: [1], now: 1)
            }
            problem(.lastKeySlot) { () throws(CredentialStoreError) in
                _ = try file.rekey(adding: [], removing: [2, 3], now: 1)
            }
            #expect(try file.keySlots().map(\.number) == [2, 3], "a refused change changes nothing")
            problem(.tooManyKeySlots) { () throws(CredentialStoreError) in
                _ = try file.rekey(adding: Array(repeating: key, count: 7), removing: [], now: 1)
            }
            #expect(try file.rekey(adding: Array(repeating: key, count: 6), removing: [], now: 1).count == 8)
        }
    }

    @Test("Under a new data key only the given keys open, and another reader must open again") func renewal() throws {
        try made { file, path, key, folder in
            let second = try StoreSamples.keyFile(in: folder, "2")
            for number in 0..<20 {
                try file.save(StoreSamples.credential("https://h\(number).example", secret: "\(number)"))
            }
            let other = try open(path, key)
            let before = [UInt8](try Data(contentsOf: path))
            problem(.lastKeySlot) { () throws(CredentialStoreError) in _ = try file.renewDataKey(keys: [], now: 1) }
            #expect(try file.renewDataKey(keys: [second], now: 1).map(\.number) == [2])
            #expect(try secret(file) == "first")
            problem(.wrongKey) { () throws(CredentialStoreError) in _ = try open(path, key) }
            let reopened = try open(path, second)
            for number in 0..<20 { #expect(try secret(reopened, "h\(number).example") == "\(number)") }
            problem(.keyRenewed) { () throws(CredentialStoreError) in _ = try other.list() }
            problem(.keyRenewed) { () throws(CredentialStoreError) in _ = try other.removeAll() }
            // Neither a sealed byte nor a keyed hash stays.
            let after = [UInt8](try Data(contentsOf: path))
            let (old, new) = (try SealedImage(parsing: before), try SealedImage(parsing: after))
            #expect(
                Set(old.records.indices.map { old.key(at: $0).identifier.bytes })
                    .isDisjoint(with: new.records.indices.map { new.key(at: $0).identifier.bytes })
            )
        }
    }

    @Test("A passphrase costs N = 2^17, r = 8, p = 1 where nothing else is asked for") func standardCost() throws {
        try StoreSamples.inFolder { folder in
            let (path, key) = (folder.appending(path: "store"), StoreKey.passphrase("Correct-Horse"))
            let file = try SealedFile.create(at: path.path, key: key, now: 1)
            try file.save(StoreSamples.credential("https://a.example", secret: "s"))
            #expect([UInt8](try Data(contentsOf: path))[52..<56] == [1, 17, 8, 1])
            #expect(try secret(open(path, key)) == "s")
        }
    }

    // MARK: - What the file shows

    @Test("Neither host, account, realm nor secret stands in the file, the lock or their names") func showsNothing()
        throws
    {
        try made { file, path, _, folder in
            let names = [
                "wiki.corp.example", "mueller", "ACME-DOMAIN", "Quarterly Figures", "Correct-Horse-Battery", "nt-hash",
            ]
            let space = CredentialSpace.realm(names[3], of: try StoreSamples.origin("https://\(names[0])"))
            try file.save(
                StoreSamples.credential(space, user: names[1], domain: names[2], kind: .ntHash, secret: names[4])
            )
            for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
                let data = try Data(contentsOf: url) + Data(url.lastPathComponent.utf8)
                for name in names + ["https", "example"] {
                    #expect(data.range(of: Data(name.utf8)) == nil, "\(name) in \(url.lastPathComponent)")
                    let wide = try #require(name.data(using: .utf16LittleEndian))
                    #expect(data.range(of: wide) == nil, "\(name) in \(url.lastPathComponent)")
                }
            }
            #expect(try file.list().count == 2)
            #expect(path.lastPathComponent == "store")
        }
    }

    @Test(
        "Another implementation reads the file by its layout",
        .enabled(if: SealedFileOracle.isHere, SealedFileOracle.isMissing)
    )
    func oracle() throws {
        try made { file, path, _, folder in
            let port = try StoreSamples.origin("http://[2001:db8::1]:8080")
            try file.save(
                StoreSamples.credential(
                    .realm("R\u{E9}", of: port, party: .proxy),
                    user: "u",
                    domain: "D",
                    kind: .token,
                    secret: "p\u{E4}ss",
                    created: 5,
                    expires: 6
                )
            )
            try file.save(
                StoreSamples.credential(.host(port.host, scheme: .https), secret: String(repeating: "x", count: 999))
            )
            try file.save(StoreSamples.credential(.path("a/\u{FC}.git", of: port), secret: "of a path"))
            _ = try file.rekey(adding: [.passphrase("Correct-Horse")], removing: [], now: 1)
            let passphrase = folder.appending(path: "passphrase")
            try Data("Correct-Horse".utf8).write(to: passphrase)
            let expected: Set = [
                SealedFileOracle.Record(reach: 1, host: "a.example", secret: "first"),
                SealedFileOracle.Record(
                    party: 1,
                    reach: 0,
                    port: 8080,
                    scheme: "http",
                    host: "[2001:db8::1]",
                    realm: "R\u{E9}",
                    user: "u",
                    domain: "D",
                    kind: "token",
                    secret: "p\u{E4}ss",
                    created: 5,
                    expires: 6
                ),
                SealedFileOracle.Record(
                    reach: 2,
                    host: "[2001:db8::1]",
                    secret: String(repeating: "x", count: 999)
                ),
                SealedFileOracle.Record(
                    reach: 3,
                    port: 8080,
                    scheme: "http",
                    host: "[2001:db8::1]",
                    path: "a/\u{FC}.git",
                    secret: "of a path"
                ),
            ]
            for (kind, secret) in [("key-file", folder.appending(path: "key")), ("passphrase", passphrase)] {
                let contents = try SealedFileOracle.read(path, kind: kind, secret: secret)
                #expect(contents.records.count == 4 && Set(contents.records) == expected)
                #expect(contents.write == 6, "one write for each change")
            }
        }
    }

    @Test("The file and its lock have mode 0600, also where the process masks nothing, and nothing else stays")
    func modes() throws {
        try made { file, path, _, folder in
            for number in 0..<3 { try file.save(StoreSamples.credential("https://a.example", secret: "\(number)")) }
            for name in ["store", "store.lock", "key"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
                #expect((attributes[.posixPermissions] as? Int) == 0o600, "\(name)")
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                    "key", "store", "store.lock",
                ]
            )
            #expect(path.lastPathComponent == "store")
        }
    }

    // MARK: - Readers and writers of one file

    @Test("A reader sees what another writer has changed") func freshness() throws {
        try made { file, path, key, _ in
            let other = try open(path, key)
            for number in 0..<50 {
                let (writer, reader) = number % 2 == 0 ? (file, other) : (other, file)
                try writer.save(StoreSamples.credential("https://a.example", secret: "\(number)"))
                #expect(try secret(reader) == "\(number)")
            }
            #expect(try other.remove(try #require(try other.list().first).name))
            #expect(try file.list().isEmpty)
        }
    }

    @Test("Links to one file share its lock and stay links") func links() throws {
        try made { file, path, key, folder in
            let link = folder.appending(path: "link")
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "store")
            let other = try open(link, key)
            try other.save(StoreSamples.credential("https://b.example", secret: "second"))
            #expect(try secret(file, "b.example") == "second")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "store")
            #expect(!FileManager.default.fileExists(atPath: link.path + ".lock"))
            #expect(path.path != link.path)
        }
    }

    @Test("An older copy that is put back is refused by a process that has seen the newer one") func rollback() throws {
        try made { file, path, key, _ in
            let old = try Data(contentsOf: path)
            let other = try open(path, key)
            try file.save(StoreSamples.credential("https://a.example", secret: "second"))
            try old.write(to: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.path)
            problem(.rolledBack(seen: 3, found: 2)) { () throws(CredentialStoreError) in _ = try file.list() }
            problem(.rolledBack(seen: 3, found: 2)) { () throws(CredentialStoreError) in
                _ = try file.removeAll()
            }
            #expect(try secret(other) == "first", "the same bytes as this process has read")
            // Two writes with one number: what was saved in between would be lost without a word.
            try other.save(StoreSamples.credential("https://b.example", secret: "third"))
            problem(.rolledBack(seen: 3, found: 3)) { () throws(CredentialStoreError) in _ = try file.list() }
        }
    }

    @Test("Another store at the path is refused, and a removed one is not made again") func replacedOrGone() throws {
        try made { file, path, key, folder in
            let elsewhere = folder.appending(path: "elsewhere")
            _ = try SealedFile.create(at: elsewhere.path, key: key, now: 1)
            try FileManager.default.removeItem(at: path)
            problem(.missing) { () throws(CredentialStoreError) in _ = try file.list() }
            problem(.missing) { () throws(CredentialStoreError) in
                try file.save(StoreSamples.credential(fixed, secret: "s"))
            }
            #expect(!FileManager.default.fileExists(atPath: path.path))
            try FileManager.default.moveItem(at: elsewhere, to: path)
            problem(.replaced) { () throws(CredentialStoreError) in _ = try file.list() }
            problem(.replaced) { () throws(CredentialStoreError) in _ = try file.removeAll() }
        }
    }

    private var fixed: CredentialSpace {
        guard let origin = try? StoreSamples.origin("https://a.example") else { preconditionFailure("a good origin") }
        return .origin(origin)
    }

    // MARK: - Files that are no store

    @Test("A path without a store, or with another file, is named as such") func otherFiles() throws {
        try made { _, path, key, folder in
            problem(.missing) { () throws(CredentialStoreError) in _ = try open(folder.appending(path: "x"), key) }
            problem(.system(operation: "open the file", code: EISDIR)) { () throws(CredentialStoreError) in
                _ = try open(folder, key)
            }
            problem(.system(operation: "open the file", code: ENODEV)) { () throws(CredentialStoreError) in
                _ = try open(URL(filePath: "/dev/null"), key)
            }
            problem(.notASealedFile) { () throws(CredentialStoreError) in
                _ = try open(folder.appending(path: "store.lock"), key)
            }
            problem(.exists) { () throws(CredentialStoreError) in
                _ = try SealedFile.create(at: path.path, key: key, now: 1)
            }
            let dangling = folder.appending(path: "dangling")
            try FileManager.default.createSymbolicLink(atPath: dangling.path, withDestinationPath: "nowhere")
            problem(.exists) { () throws(CredentialStoreError) in
                _ = try SealedFile.create(at: dangling.path, key: key, now: 1)
            }
            problem(.missing) { () throws(CredentialStoreError) in
                _ = try SealedFile.create(at: folder.path + "/no/store", key: key, now: 1)
            }
        }
    }

    @Test("A file that others may use, or that is too large, is refused") func unsafeFiles() throws {
        try made { file, path, key, _ in
            for mode in [0o640, 0o604, 0o620, 0o601] as [UInt16] {
                try FileManager.default.setAttributes([.posixPermissions: Int(mode)], ofItemAtPath: path.path)
                problem(.othersMayUse(mode: mode)) { () throws(CredentialStoreError) in _ = try open(path, key) }
                problem(.othersMayUse(mode: mode)) { () throws(CredentialStoreError) in _ = try file.list() }
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.path)
            #expect(try secret(file) == "first")
            let size = CredentialLimits.fileBytes + 1
            #expect(unsafe truncate(path.path, size) == 0)
            problem(.tooLarge(bytes: size)) { () throws(CredentialStoreError) in _ = try open(path, key) }
        }
    }
}
