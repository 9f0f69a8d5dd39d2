internal import Foundation

/// Callgrind's switch, if `Benchmarks/Programs/callgrind.c` was preloaded into this process.
struct Callgrind {
    private let apart: @convention(c) () -> Int32
    /// Counts from here on.
    let start: @convention(c) () -> Void
    /// Writes what was counted to a file of this process, and stops.
    let dump: @convention(c) () -> Void

    /// `nil` without the preloaded counter.
    init?() {
        // The name of the process itself; its handle needs no closing.
        guard let process = unsafe dlopen(nil, RTLD_NOW),
            let apart = unsafe dlsym(process, "sallyport_apart"),
            let start = unsafe dlsym(process, "sallyport_start_counting"),
            let dump = unsafe dlsym(process, "sallyport_dump_counts")
        else { return nil }
        // These are their types: the file above defines them.
        self.apart = unsafe unsafeBitCast(apart, to: (@convention(c) () -> Int32).self)
        self.start = unsafe unsafeBitCast(start, to: (@convention(c) () -> Void).self)
        self.dump = unsafe unsafeBitCast(dump, to: (@convention(c) () -> Void).self)
    }

    /// Does something in a process of its own and waits for it.
    ///
    /// - Returns: the number of that process, or `nil` when it could not be made or did not end well.
    func apart(_ work: () -> Void) -> Int32? {
        let child = apart()
        if child == 0 {
            work()
            _exit(0)
        }
        return child > 0 ? child : nil
    }
}
