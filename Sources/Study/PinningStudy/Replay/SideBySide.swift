internal import Dispatch
internal import Foundation
internal import Synchronization

/// Runs independent pieces of work in parallel, one thread per processor.
enum SideBySide {
    /// Applies `body` to each item and returns the results in the order of the items.
    ///
    /// - Parameter progress: called once per finished item, on the caller's thread.
    static func map<Item: Sendable, Result: Sendable>(
        _ items: [Item],
        progress: () -> Void,
        _ body: @escaping @Sendable (Item) -> Result
    ) -> [Result] {
        let work = Work(items, body)
        let others = DispatchGroup()
        for _ in 0..<max(0, min(items.count, ProcessInfo.processInfo.activeProcessorCount) - 1) {
            DispatchQueue.global().async(group: others) { while work.goOn() {} }
        }
        var told = 0
        func tell() {
            let finished = work.finished
            for _ in told..<finished { progress() }
            told = finished
        }
        while work.goOn() { tell() }
        others.wait()
        tell()
        return work.results
    }

    /// The state that the threads share.
    private final class Work<Item: Sendable, Result: Sendable>: Sendable {
        private let items: [Item]
        private let body: @Sendable (Item) -> Result
        private let next = Atomic(0)
        private let made = Mutex([Int: Result]())

        init(_ items: [Item], _ body: @escaping @Sendable (Item) -> Result) {
            self.items = items
            self.body = body
        }

        /// Processes the next item; `false` when all items are taken.
        func goOn() -> Bool {
            let index = next.add(1, ordering: .relaxed).oldValue
            guard index < items.count else { return false }
            let result = body(items[index])
            made.withLock { $0[index] = result }
            return true
        }

        var finished: Int { made.withLock { $0.count } }

        /// The results in the order of the items; complete once all threads have ended.
        var results: [Result] { made.withLock { made in items.indices.compactMap { made[$0] } } }
    }
}
