internal import NTLM
package import PeerComparison

/// An operation of ours that a regression would hurt: measured by the suites, the gate and the latency report alike.
///
/// The name reads `Type.operation/case/N=…`; what it is done with was checked before.
package struct HotOperation {
    /// One suite an engine, and one for the facade.
    package enum Suite: String, CaseIterable, Sendable {
        case allowedSites = "AllowedSites"
        case ntlm = "NTLM"
        case spkiPins = "SPKIPins"
        case sallyport = "Sallyport"
    }

    package let suite: Suite
    package let implementation: MeasuredImplementation
    /// What its time is compared with, in the same process.
    package let yardstick: Yardstick
    /// How many operations the exact counters see.
    package let workload: Int

    package var name: String { implementation.operation }

    /// Every implementation here is ours.
    package static let ours = "Sallyport"

    /// When log-ins happen: always the same moment, so that counts repeat exactly.
    static let now = FileTime(unixSeconds: 1_760_000_000)

    init(_ suite: Suite, _ implementation: MeasuredImplementation, per yardstick: Yardstick, workload: Int = 256) {
        self.suite = suite
        self.implementation = implementation
        self.yardstick = yardstick
        self.workload = workload
    }

    /// All operations of the suites named, in a fixed order.
    ///
    /// - Complexity: makes every fixture, the largest a list of 100,000 sites.
    package static func all(_ suites: Set<Suite> = Set(Suite.allCases)) throws -> [HotOperation] {
        var operations: [HotOperation] = []
        if suites.contains(.allowedSites) { operations += try SiteOperations.all() }
        if suites.contains(.ntlm) { operations += try NTLMOperations.all() }
        if suites.contains(.spkiPins) { operations += try PinOperations.all() }
        if suites.contains(.sallyport) { operations += try HandlerOperations.all() }
        return operations
    }
}
