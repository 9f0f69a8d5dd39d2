public import Hostnames

/// How a request reaches its origin.
public enum RequestRoute: Equatable, Sendable {
    /// Directly, or inside a tunnel that is open already: only the origin may challenge.
    case direct
    /// Through a proxy that reads it, with a target in absolute form: both may challenge.
    case forwarded(by: Origin)
    /// CONNECT to a proxy, to open a tunnel to the origin: only the proxy may challenge.
    case connect(to: Origin)
}
