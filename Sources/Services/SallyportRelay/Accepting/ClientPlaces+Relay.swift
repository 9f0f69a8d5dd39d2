internal import ServiceSockets

extension ClientPlaces {
    /// Descriptors for what is not a client or its connection onwards: listeners, logs, stores, resolvers, and clients that are accepted while
    /// the bound is reached.
    private static let otherDescriptors = 32
    /// What one event loop has open for itself.
    private static let descriptorsOfLoop = 4

    /// The places of a relay with these limits. Each client may need a second descriptor for its way onwards, so there is at most one place for
    /// two of those that the process may open.
    convenience init(_ limits: RelayLimits, loops: Int) {
        var most = limits.clients
        if let descriptors = DescriptorLimit.current {
            let others = min(Self.otherDescriptors + Self.descriptorsOfLoop * loops, descriptors / 2)
            most = min(most, (descriptors - others) / 2)
        }
        self.init(most: most, perAddress: min(limits.clientsPerAddress, max(1, most / 2)))
    }
}
