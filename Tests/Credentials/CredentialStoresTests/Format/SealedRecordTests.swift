import Hostnames
import Secrets
import TestSupport
import Testing
import WireFormat

@testable import CredentialStores

/// Contents that open under the right key, and that another version or a faulty writer has made.
@Suite struct SealedRecordTests {
    private let sealing = SealingKey.random()
    private let context: [UInt8] = [1, 2, 3]

    /// The contents of a record, by the drawing, before they are padded.
    private func contents(
        layout: UInt16 = 1,
        flags: UInt16 = 0,
        secret: UInt32? = nil,
        path: String? = nil
    ) throws -> [UInt8] {
        let origin = try StoreSamples.origin("https://a.example")
        let name = CredentialName(space: path.map { .path($0, of: origin) } ?? .origin(origin), user: "j").encoded
        var bytes: [UInt8] = []
        bytes.append(littleEndian: layout)
        bytes.append(littleEndian: flags)
        bytes.append(littleEndian: UInt64(7))
        bytes.append(littleEndian: UInt64(9))
        bytes.append(littleEndian: UInt32(name.count))
        bytes.append(littleEndian: secret ?? 6)
        return bytes + name + Array("secret".utf8)
    }

    private func open(_ contents: [UInt8]) throws(CredentialStoreError.Problem) -> StoredCredential {
        let padded = contents + [UInt8](repeating: 0, count: (128 - contents.count % 128) % 128)
        let tags = [UInt8](repeating: 5, count: 32)
        let box = sealing.seal(padded, authenticating: context + tags)
        var record: [UInt8] = []
        record.append(littleEndian: UInt32(box.count))
        record += tags + box
        #expect(SealedRecord.length(in: record, record.indices) == record.count)
        return try SealedRecord.open(record[...], context: context, with: sealing)
    }

    @Test("A record by the drawing is read") func drawn() throws {
        let credential = try open(contents(flags: 1))
        #expect(credential.text == "secret" && credential.created == 7 && credential.expires == 9)
        #expect(credential.name.user == "j")
        #expect(try open(contents()).expires == nil)
        #expect(try open(contents(layout: 2, path: "a/b")).name.space.path == "a/b")
    }

    @Test("A newer layout is named as one; unknown flags and impossible counts are damage") func unknown() throws {
        #expect(throws: CredentialStoreError.Problem.newerVersion(found: 3, known: 2)) {
            try open(contents(layout: 3))
        }
        let damaged = [
            try contents(layout: 0), try contents(flags: 2), try contents(secret: 0), try contents(secret: 1_000),
            try contents(secret: .max), try contents(layout: 2), try contents(path: "a/b"), [],
        ]
        for contents in damaged {
            #expect(throws: CredentialStoreError.Problem.damaged(.records)) {
                try open(contents.isEmpty ? [UInt8](repeating: 0, count: 128) : contents)
            }
        }
    }

    @Test("Random contents are an error or a record within bounds") func random() throws {
        let good = try contents(flags: 1)
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5_000 {
            var changed = good
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                changed[Int.random(in: 0..<good.count, using: &generator)] = generator.bytes(1)[0]
            }
            if let credential = try? open(changed) { #expect(credential.problem == nil) }
        }
    }
}
