import Foundation
import TestLimits
import Testing

@testable import CredentialStores

/// The sealed file as an application uses it.
@Suite(.inTurn) struct SealedFileStoreTests {
    @Test("Stores that wait for a lock leave the threads of other tasks free") func waiting() async throws {
        try await StoreSamples.inFolder { folder in
            let key = try StoreSamples.keyFile(in: folder)
            var options = SealedFile.Options()
            options.patienceMilliseconds = 600_000
            var stores: [SealedFileStore] = []
            let path = folder.appending(path: "store").path
            stores.append(try await .create(at: path, key: key, now: 1, options: options))
            // More stores than the shared pool has threads.
            for _ in 0...2 * ProcessInfo.processInfo.activeProcessorCount {
                stores.append(try await .open(at: path, key: key, options: options))
            }
            let holder = unsafe open(path + ".lock", O_RDWR | O_CREAT, 0o600)
            #expect(flock(holder, LOCK_EX) == 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, store) in stores.enumerated() {
                    group.addTask {
                        try await store.save(StoreSamples.credential("https://h\(index).example", secret: "s"))
                    }
                }
                // Time for all of them to wait. The lock is freed by a task, which runs only if a thread is free.
                try await Task.sleep(for: .milliseconds(50))
                await Task.detached { _ = close(holder) }.value
                try await group.waitForAll()
            }
            #expect(try await stores[0].list().count == stores.count)
        }
    }

    @Test("Keys are added, removed and renewed") func keys() async throws {
        try await StoreSamples.inFolder { folder in
            let (key, second) = (try StoreSamples.keyFile(in: folder), try StoreSamples.keyFile(in: folder, "2"))
            let path = folder.appending(path: "store").path
            let store = try await SealedFileStore.create(at: path, key: key, now: 1)
            try await store.save(StoreSamples.credential("https://a.example", secret: "s"))
            #expect(try await store.rekey(adding: [second], removing: [], now: 2).count == 2)
            #expect(try await SealedFileStore.open(at: path, key: second).list().count == 1)
            #expect(try await store.renewDataKey(keys: [second], now: 3).map(\.created) == [3])
            #expect(try await store.keySlots().count == 1)
            await #expect(throws: CredentialStoreError(place: path, problem: .wrongKey)) {
                _ = try await SealedFileStore.open(at: path, key: key)
            }
        }
    }

    @Test("What was saved is there in the next process, and gone after its removal") func restart() async throws {
        try await StoreSamples.inFolder { folder in
            let (key, path) = (try StoreSamples.keyFile(in: folder), folder.appending(path: "store").path)
            let credential = try StoreSamples.credential("https://a.example", secret: "s")
            try await SealedFileStore.create(at: path, key: key, now: 1).save(credential)
            let query = CredentialQuery(origin: credential.name.space.origin)
            let reopened = try await SealedFileStore.open(at: path, key: key)
            #expect(try await reopened.credentials(for: query, at: 1).map(\.text) == ["s"])
            #expect(try await reopened.removeAll() == 1)
            #expect(try await SealedFileStore.open(at: path, key: key).list().isEmpty)
        }
    }

    @Test("A relative path stays that of the file when the process changes its folder") func relativePath() async {
        await #expect(processExitsWith: .success) {
            try StoreSamples.inFolder { folder in
                let key = try StoreSamples.keyFile(in: folder)
                #expect(FileManager.default.changeCurrentDirectoryPath(folder.path))
                let file = try SealedFile.create(at: "store", key: key, now: 1)
                let other = try SealedFile.open(at: "store", key: key)
                #expect(FileManager.default.changeCurrentDirectoryPath("/"))
                try file.save(StoreSamples.credential("https://a.example", secret: "s"))
                try other.save(StoreSamples.credential("https://b.example", secret: "s"))
                #expect(try file.list().count == 2)
            }
        }
    }

    @Test("An empty path and a folder make no file") func noPath() throws {
        try StoreSamples.inFolder { folder in
            let key = try StoreSamples.keyFile(in: folder)
            #expect(throws: CredentialStoreError(place: "", problem: .missing)) {
                _ = try SealedFile.create(at: "", key: key, now: 1)
            }
            #expect(throws: CredentialStoreError(place: folder.path + "/", problem: .exists)) {
                _ = try SealedFile.create(at: folder.path + "/", key: key, now: 1)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
        }
    }
}
