internal import NTLM
package import PeerComparison

/// An operation whose regressions matter; the suites, the gate and the latency report measure it.
///
/// The name reads `Type.operation/case/N=…`. Its results were checked before it is measured.
package struct HotOperation {
    /// A part of the operations: one for each engine, and one for the facade. SPNEGO, which frames NTLM, is in its part.
    package enum Suite: String, CaseIterable, Sendable {
        case allowedSites = "AllowedSites"
        case ntlm = "NTLM"
        case spkiPins = "SPKIPins"
        case sallyport = "Sallyport"
    }

    package let suite: Suite
    package let implementation: MeasuredImplementation
    /// The work that its time is divided by, in the same process.
    package let yardstick: Yardstick
    /// The number of operations that are counted.
    package let workload: Int
    /// What one count is of.
    package let counted: Counted

    /// What a count of allocations or retains is of.
    package enum Counted: Sendable {
        /// A call, with its whole batch: one more allocation in a batch is seen.
        case call
        /// One operation of a batch that is a long pass, whose tables grow at times that random numbers decide.
        case operation
    }

    package var name: String { implementation.operation }

    /// The name with `_` for `/`, under which thresholds are committed.
    ///
    /// The plugin writes a threshold file with `_` for each `/` of a benchmark's name, but reads the name as it is.
    package var label: String { name.replacing("/", with: "_") }

    /// The implementation of each operation here.
    package static let ours = "Sallyport"

    /// The time of all log-ins: always the same, so that counts repeat exactly.
    static let now = FileTime(unixSeconds: 1_760_000_000)

    init(
        _ suite: Suite,
        _ implementation: MeasuredImplementation,
        per yardstick: Yardstick,
        workload: Int = 256,
        counted: Counted = .call
    ) {
        self.suite = suite
        self.implementation = implementation
        self.yardstick = yardstick
        self.workload = workload
        self.counted = counted
    }

    /// All operations of the suites named, in a fixed order.
    ///
    /// - Complexity: makes every fixture, the largest a list of 100,000 sites.
    package static func all(_ suites: Set<Suite> = Set(Suite.allCases)) throws -> [HotOperation] {
        var operations: [HotOperation] = []
        if suites.contains(.allowedSites) { operations += try SiteOperations.all() }
        if suites.contains(.ntlm) { operations += try NTLMOperations.all() + NegotiateOperations.all() }
        if suites.contains(.spkiPins) { operations += try PinOperations.all() }
        if suites.contains(.sallyport) {
            operations += try HandlerOperations.all() + AdvanceOperations.all()
            operations += try FlowOperations.all() + ReplayOperations.all()
        }
        return operations
    }
}
