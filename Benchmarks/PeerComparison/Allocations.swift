#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Counts allocations, if `Benchmarks/CCounters/allocations.c` was preloaded into this process.
package struct Allocations {
    private let counter: @convention(c) () -> UInt64

    /// `nil` without the preloaded counter.
    package init?() {
        // The handle of the process itself, which needs no closing.
        guard let process = unsafe dlopen(nil, RTLD_NOW), let symbol = unsafe dlsym(process, "sallyport_allocations")
        else { return nil }
        // The file above defines it with this type.
        counter = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)
    }

    /// The number of allocations of this thread since it started.
    package var soFar: UInt64 { counter() }

    /// Notes the mean allocations of one operation of each implementation, after a first run of it.
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
