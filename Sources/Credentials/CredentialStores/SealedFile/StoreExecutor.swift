internal import Dispatch

/// Runs the functions of one store in turn, on a thread that may wait. The threads that Swift shares among all tasks must not.
final class StoreExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "sallyport.credential-store")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            // The store keeps its executor alive, and runs only on it.
            unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }
}
