import Foundation
import TestLimits
import Testing
import WireFormat

@testable import CredentialStores

/// Stores that are full.
@Suite(.inTurn) struct RecordLimitTests {
    private func credential(_ number: Int) throws -> StoredCredential {
        try StoreSamples.credential("https://h\(number).example", secret: "\(number)")
    }

    private func checkFull(_ store: any CredentialStore, place: String) async throws {
        let limit = CredentialLimits.records
        await #expect(throws: CredentialStoreError(place: place, problem: .tooManyRecords)) {
            try await store.save(credential(limit))
        }
        try await store.save(credential(17))
        #expect(try await store.remove(credential(18).name))
        try await store.save(credential(limit))
        let query = CredentialQuery(origin: try StoreSamples.origin("https://h\(limit).example"))
        #expect(try await store.credentials(for: query, at: 1).map(\.text) == ["\(limit)"])
        #expect(try await store.removeAll() == limit)
    }

    @Test("A store in memory has 10,000 records") func memory() async throws {
        let store = MemoryCredentialStore()
        for number in 0..<CredentialLimits.records { try await store.save(credential(number)) }
        try await checkFull(store, place: CredentialStoreError.memory)
    }

    @Test("A sealed file has 10,000 records") func sealedFile() async throws {
        try await StoreSamples.inFolder { folder in
            let (path, key) = (folder.appending(path: "store").path, try StoreSamples.keyFile(in: folder))
            let store = try await SealedFileStore.create(at: path, key: key, now: 1)
            // All records in one write, because 10,000 writes take a minute.
            let empty = try SealedImage(parsing: [UInt8](try Data(contentsOf: URL(filePath: path))))
            let keys = try empty.unlock(with: try key.material()).keys
            var records: [(key: RecordKey, bytes: ArraySlice<UInt8>)] = []
            for number in 0..<CredentialLimits.records {
                let credential = try credential(number)
                records.append((keys.key(of: credential.name), keys.seal(credential)[...]))
            }
            let full = try SealedImage(
                identifier: empty.identifier,
                write: empty.write + 1,
                slots: empty.slots,
                records: records.sorted { $0.key < $1.key }.map(\.bytes),
                keys: keys
            )
            try FileReplacement.write(full.bytes.span, to: path, permissions: 0o600)
            try await checkFull(store, place: path)
        }
    }
}
