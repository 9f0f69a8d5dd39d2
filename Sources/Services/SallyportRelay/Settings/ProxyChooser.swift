public import Hostnames

/// One way to a server.
public enum RelayRoute: Hashable, Sendable {
    /// Without a proxy.
    case direct
    /// Through a proxy.
    case proxy(RelayParent)
}

/// Chooses the ways to each server, as ``ProxyScript`` does.
public protocol ProxyChooser: Sendable {
    /// The ways that are known without waiting; the first is tried first.
    func known(for server: Origin) -> [RelayRoute]?

    /// The ways, after waiting. Not empty.
    func choices(for server: Origin) async throws -> [RelayRoute]
}
