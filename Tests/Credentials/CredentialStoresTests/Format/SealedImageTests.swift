import Foundation
import Hostnames
import Secrets
import TestSupport
import Testing
import WireFormat

@testable import CredentialStores

/// Damage to a file, in memory. `SALLYPORT_STORE_FLIPS` sets the number of damaged files of each kind: 1,000,000 in `.ci/slow`.
@Suite struct SealedImageTests {
    static let flips = Effort.count("SALLYPORT_STORE_FLIPS", usual: 5_000)

    /// A file with three records and two key slots, one of them for a passphrase.
    private func made(_ body: ([UInt8], KeyMaterial, URL, StoreKey) throws -> Void) throws {
        try StoreSamples.inNewFile { file, path, key, _ in
            _ = try file.rekey(adding: [.passphrase("a passphrase")], removing: [], now: StoreSamples.now)
            for host in ["a", "b", "c"] {
                try file.save(StoreSamples.credential("https://\(host).example", secret: "secret of \(host)"))
            }
            try body([UInt8](try Data(contentsOf: path)), try key.material(), path, key)
        }
    }

    /// The secrets in `bytes`, or the error that a reader meets.
    private func secrets(_ bytes: [UInt8], _ material: KeyMaterial) throws(CredentialStoreError.Problem) -> [String] {
        let image = try SealedImage(parsing: bytes)
        let keys = try image.unlock(with: material).keys
        var secrets: [String] = []
        for index in image.records.indices { secrets.append(try keys.open(image.record(at: index)).text) }
        return secrets.sorted()
    }

    /// Checks that `bytes` are an error.
    private func refuse(_ bytes: [UInt8], _ material: KeyMaterial, _ comment: Comment) {
        do throws(CredentialStoreError.Problem) {
            let found = try secrets(bytes, material)
            Issue.record("\(comment): read \(found)")
        } catch {}
    }

    @Test("An unchanged file is read") func unchanged() throws {
        try made { bytes, material, _, _ in
            let found = try secrets(bytes, material)
            #expect(found == ["secret of a", "secret of b", "secret of c"])
        }
    }

    @Test("Every truncation is an error, and says so") func truncations() throws {
        try made { bytes, material, _, _ in
            for count in bytes.indices {
                do throws(CredentialStoreError.Problem) {
                    _ = try secrets(Array(bytes[..<count]), material)
                    Issue.record("\(count) bytes were read")
                } catch {
                    let needed = count < SealedImage.smallest ? SealedImage.smallest : bytes.count
                    let expected: CredentialStoreError.Problem =
                        count == 0 ? .notASealedFile : .truncated(bytes: count, needed: needed)
                    #expect(error == expected, "\(count) bytes")
                }
            }
            refuse(bytes + [0], material, "one byte more")
        }
    }

    @Test("Each changed bit is an error") func flippedBits() throws {
        try made { bytes, material, _, _ in
            var generator = SeededGenerator(seed: 21)
            for _ in 0..<Self.flips {
                let bit = Int.random(in: 0..<bytes.count * 8, using: &generator)
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                refuse(changed, material, "bit \(bit)")
            }
        }
    }

    @Test("Random damage is an error, and ends no process") func randomDamage() throws {
        try made { bytes, material, _, _ in
            var generator = SeededGenerator(seed: 22)
            for round in 0..<Self.flips {
                var changed = bytes
                // Half of the rounds change only the header, where the counts are.
                let end = round % 2 == 0 ? SealedImage.headerLength : bytes.count
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    changed[Int.random(in: 8..<end, using: &generator)] = generator.bytes(1)[0]
                }
                if round % 3 == 0 { changed.removeLast(Int.random(in: 0..<changed.count, using: &generator)) }
                if changed != bytes { refuse(changed, material, "round \(round)") }
            }
        }
    }

    @Test("A file of a newer version is named as one, and text as no store") func versions() throws {
        try made { bytes, material, _, _ in
            var newer = bytes
            newer[8] = 2
            #expect(throws: CredentialStoreError.Problem.newerVersion(found: 2, known: 1)) {
                try secrets(newer, material)
            }
            for text in ["", "S", "machine a.example login x password y", "SPSTORE\nand more"] {
                let expected: CredentialStoreError.Problem =
                    text == "S" ? .truncated(bytes: 1, needed: SealedImage.smallest) : .notASealedFile
                #expect(throws: expected, "\(text)") { try secrets(Array(text.utf8), material) }
            }
        }
    }

    /// A file of the records `records` of `image`, with honest counts and the code of `image`.
    private func assembled(_ image: SealedImage, records: [ArraySlice<UInt8>]) -> [UInt8] {
        var bytes = Array(image.bytes[..<12])
        bytes.append(littleEndian: UInt32(records.count))
        bytes += image.bytes[16..<40]
        let slots = image.slots.flatMap(\.bytes)
        let length = SealedImage.headerLength + slots.count + records.reduce(0) { $0 + $1.count } + 32
        bytes.append(littleEndian: UInt64(length))
        return bytes + slots + records.joined() + image.bytes.suffix(32)
    }

    @Test("Records that are removed, repeated, exchanged or brought back are an error") func rearranged() throws {
        try made { bytes, material, path, key in
            let image = try SealedImage(parsing: bytes)
            let records = image.records.indices.map { image.record(at: $0) }
            #expect(assembled(image, records: records) == bytes, "the helper writes what the target writes")
            refuse(assembled(image, records: Array(records.dropLast())), material, "removed")
            refuse(assembled(image, records: []), material, "all removed")
            refuse(assembled(image, records: records + [records[2]]), material, "repeated")
            let exchanged = assembled(image, records: [records[1], records[0], records[2]])
            refuse(exchanged, material, "exchanged")
            // Before the code is checked: a search among them would not find all.
            #expect(throws: CredentialStoreError.Problem.damaged(.records)) { try SealedImage(parsing: exchanged) }
            let (first, second) = (SealedImage.headerLength, SealedImage.headerLength + KeySlot.byteCount)
            var twice = bytes
            twice.replaceSubrange(second..<second + 4, with: bytes[first..<first + 4])
            #expect(throws: CredentialStoreError.Problem.damaged(.keySlots)) { try SealedImage(parsing: twice) }
            // Another write of the same store: each record is genuine, and so are their keys.
            let file = try SealedFile.open(at: path.path, key: key)
            try file.save(StoreSamples.credential("https://a.example", secret: "newer"))
            let newer = try SealedImage(parsing: [UInt8](try Data(contentsOf: path)))
            let changed = try #require(records.indices.first { newer.record(at: $0) != records[$0] })
            var mixed = newer.records.indices.map { newer.record(at: $0) }
            mixed[changed] = records[changed]
            refuse(assembled(newer, records: mixed), material, "brought back")
        }
    }

    @Test("A record opens only under its own keys, in its own store") func boundToItsPlace() throws {
        let sealing = SealingKey.random()
        let (one, other) = (randomBytes(16), randomBytes(16))
        let (keys, copied) = (StoreKeys(sealing, identifier: one), StoreKeys(sealing, identifier: other))
        let credential = try StoreSamples.credential("https://a.example", secret: "s")
        let record = keys.seal(credential)
        #expect(try keys.open(record[...]).text == "s")
        #expect(throws: CredentialStoreError.Problem.damaged(.records)) { try copied.open(record[...]) }
        let stranger = keys.seal(try StoreSamples.credential("https://b.example", secret: "t"))
        let moved = Array(stranger[..<36] + record[36...])
        #expect(moved.count == record.count)
        #expect(throws: CredentialStoreError.Problem.damaged(.records)) { try keys.open(moved[...]) }
    }

    @Test("A key slot opens only in its own store") func boundSlots() throws {
        try StoreSamples.inFolder { folder in
            let material = try StoreSamples.keyFile(in: folder).material()
            func slot(_ context: [UInt8]) throws -> KeySlot {
                try requireValue(
                    KeySlot(
                        number: 1,
                        wrapping: .random(),
                        with: material,
                        passphraseCost: .standard,
                        created: 1,
                        context: context
                    )
                )
            }
            let made = try slot([1])
            guard case .dataKey = made.open(with: material, context: [1]) else {
                Issue.record("the slot does not open")
                return
            }
            guard case .wrongKey = made.open(with: material, context: [2]) else {
                Issue.record("the slot opens in another store")
                return
            }
        }
    }

    @Test("The length of a record shows only units of 128 bytes") func padding() throws {
        let keys = StoreKeys(.random(), identifier: randomBytes(16))
        let lengths = try (1...100).map { length in
            keys.seal(try StoreSamples.credential("https://a.example", secret: String(repeating: "x", count: length)))
                .count
        }
        #expect(Set(lengths).count == 2)
        #expect(lengths.allSatisfy { ($0 - 36 - SealingKey.overhead) % 128 == 0 })
    }

    @Test("Lookup by host finds what a walk over all records finds, under a seed", arguments: UInt64(1)...8)
    func lookup(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let keys = StoreKeys(.random(), identifier: randomBytes(16))
        var names: Set<CredentialName> = []
        for _ in 0..<Int.random(in: 0...60, using: &generator) {
            let host = "h\(Int.random(in: 0..<12, using: &generator)).example"
            let origin = try StoreSamples.origin("https://\(host):\(Int.random(in: 1...3, using: &generator))")
            names.insert(CredentialName(space: .origin(origin), user: "u"))
        }
        let sorted = names.map { (key: keys.key(of: $0), name: $0) }.sorted { $0.key < $1.key }
        let records = sorted.map { entry in
            keys.seal(StoredCredential(name: entry.name, secret: SharedSecret(utf8: "s"), created: 0))[...]
        }
        let image = try SealedImage(identifier: randomBytes(16), write: 1, slots: [slot], records: records, keys: keys)
        for number in 0..<14 {
            let place = CredentialSpace.Place(.origin, try StoreSamples.origin("https://h\(number).example"))
            let walked = sorted.indices.filter { sorted[$0].name.space.place == place }
            #expect(Array(image.indices(ofHost: keys.tag(of: place))) == walked)
        }
        for (index, entry) in sorted.enumerated() {
            let (found, isPresent) = image.place(of: entry.key)
            #expect(found == index && isPresent)
        }
    }

    private var slot: KeySlot {
        get throws {
            let material = KeyMaterial(kind: .keyFile, secret: SharedSecret(SecretBytes(copying: randomBytes(32).span)))
            return try requireValue(
                KeySlot(
                    number: 1,
                    wrapping: .random(),
                    with: material,
                    passphraseCost: .standard,
                    created: 0,
                    context: []
                )
            )
        }
    }
}
