import Hostnames
import Synchronization
import Testing

@testable import AllowedSites

@Suite struct SiteTrieStoreTests {
    private struct Failure: Error {}

    @Test("A reload that fails keeps the trie in force") func failingReload() throws {
        let loads = Atomic<Int>(0)
        let store = try SiteTrieStore {
            switch loads.add(1, ordering: .relaxed).newValue {
            case 1: try trie("a.example")
            case 2: throw Failure()
            default: try trie("b.example")
            }
        }
        var reader = store.makeReader()
        #expect(throws: Failure.self) { try store.reload() }
        #expect(reader.current.verdict(forURL: "https://a.example").isAllowed)
        try store.reload()
        #expect(store.current.verdict(forURL: "https://b.example").isAllowed)
        #expect(reader.current.verdict(forURL: "https://b.example").isAllowed)
        #expect(!reader.current.verdict(forURL: "https://a.example").isAllowed)
    }

    @Test func aReaderAnswersFromTheTrieInForce() throws {
        let store = try SiteTrieStore { try trie("a.example/docs") }
        var (first, second) = (store.makeReader(), store.makeReader())
        let origin = try Origin(parsing: "https://a.example")
        #expect(first.verdict(for: origin, path: "/docs/x").isAllowed)
        #expect(!first.verdict(for: origin, path: "/other").isAllowed)
        #expect(second.verdict(forURL: "https://a.example/docs").isAllowed)
        store.replace(with: try trie("b.example"))
        #expect(!first.verdict(for: origin, path: "/docs/x").isAllowed)
        #expect(second.verdict(forURL: "https://b.example/").isAllowed)
        #expect(!second.verdict(forURL: "https://a.example/docs").isAllowed)
    }

    @Test("Readers see whole tries only, and never go back") func concurrentSwaps() async throws {
        let tries = try (0..<4).map { version in try trie("v\(version).example", "*.x.example") }
        let store = try SiteTrieStore { tries[0] }
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    var reader = store.makeReader()
                    var last = 0
                    for _ in 0..<2000 {
                        let current = reader.current
                        let versions = (0..<4).filter { current.verdict(forURL: "https://v\($0).example").isAllowed }
                        #expect(versions.count == 1)
                        #expect(versions[0] >= last)
                        last = versions[0]
                    }
                }
            }
            group.addTask {
                for trie in tries.dropFirst() {
                    for _ in 0..<200 { store.replace(with: trie) }
                }
            }
        }
        #expect(store.current.verdict(forURL: "https://v3.example").isAllowed)
    }
}
