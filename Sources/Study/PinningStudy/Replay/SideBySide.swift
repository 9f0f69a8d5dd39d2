internal import Dispatch
internal import Foundation
internal import Synchronization

/// Work that does not depend on its order, on as many threads as there are processors.
enum SideBySide {
    /// What `body` makes of each item, in their order.
    ///
    /// - Parameter progress: called once for each item that is finished, on the thread of the caller.
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

    /// What is shared by the threads.
    private final class Work<Item: Sendable, Result: Sendable>: Sendable {
        private let items: [Item]
        private let body: @Sendable (Item) -> Result
        private let next = Atomic(0)
        private let made = Mutex([Int: Result]())

        init(_ items: [Item], _ body: @escaping @Sendable (Item) -> Result) {
            self.items = items
            self.body = body
        }

        /// Takes the next item; `false` when there is none.
        func goOn() -> Bool {
            let index = next.add(1, ordering: .relaxed).oldValue
            guard index < items.count else { return false }
            let result = body(items[index])
            made.withLock { $0[index] = result }
            return true
        }

        var finished: Int { made.withLock { $0.count } }

        /// In the order of the items; complete once all threads have ended.
        var results: [Result] { made.withLock { made in items.indices.compactMap { made[$0] } } }
    }
}
