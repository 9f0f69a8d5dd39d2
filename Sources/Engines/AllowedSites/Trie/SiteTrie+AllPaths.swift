package import Hostnames

extension SiteTrie {
    /// The verdict that holds for all paths of `origin`; `nil` if the verdict depends on the path.
    ///
    /// - Complexity: as ``verdict(for:path:)``, and one allocation.
    package func verdict(forAllPathsOf origin: Origin) -> SiteVerdict? {
        let path = WatchedPath()
        let request = SiteRequest(scheme: origin.scheme, port: origin.port, path: path)
        let verdict =
            switch origin.host.form {
            case .name(let name): self.verdict(name.span, request)
            case .ipv4, .ipv6: self.verdict(ofAddress: origin.host, request)
            }
        return path.wasRead ? nil : verdict
    }
}

/// A path that records whether a lookup has read it. A verdict that was found without the path holds for all paths.
private final class WatchedPath: Sequence {
    private(set) var wasRead = false

    func makeIterator() -> EmptyCollection<UInt8>.Iterator {
        wasRead = true
        return EmptyCollection().makeIterator()
    }
}
