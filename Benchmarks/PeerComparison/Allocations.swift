#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Counts what is taken from the heap, if `Benchmarks/Peers/allocations.c` was preloaded into this process.
package struct Allocations {
    private let counter: @convention(c) () -> UInt64

    /// `nil` without the preloaded counter.
    package init?() {
        // The name of the process itself; its handle needs no closing.
        guard let process = unsafe dlopen(nil, RTLD_NOW), let symbol = unsafe dlsym(process, "sallyport_allocations")
        else { return nil }
        // That is its type: the file above defines it.
        counter = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)
    }

    /// How often memory was taken since the program started.
    package var soFar: UInt64 { counter() }

    /// Notes what each implementation takes for one operation, on average, after it was run before.
    package func run(
        _ implementations: [MeasuredImplementation],
        operations: Int,
        into measurementFile: inout MeasurementFile
    ) {
        for implementation in implementations {
            _ = implementation.mean(of: operations) { 0 }
            let count = implementation.mean(of: operations) { counter() }
            measurementFile.note(.allocations(count), of: implementation.operation, by: implementation.who)
        }
    }
}
