internal import Foundation

/// Runs each job of a task on a thread of its own, so that a job may block on a socket or a process.
///
/// The threads of Swift's own pool are as many as processors. Tests that block there would hold up the tests that count
/// time.
package final class ThreadPerJob: TaskExecutor {
    package static let shared = ThreadPerJob()

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { [self] in
            // The job is run once, by this thread.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
