package import Hostnames

extension SiteTrie {
    /// Whether credentials may go to `url`, an absolute `http` or `https` URL.
    ///
    /// - Returns: ``SiteVerdict/invalid(_:)`` if programs may read another origin or path in the URL.
    /// - Complexity: that of ``verdict(for:path:)``, and O(*n*) in the length of `url`. Allocates nothing for a URL of the
    ///   usual shape: an ASCII name without `--`, and only bytes that a URL may contain.
    public func verdict(forURL url: String) -> SiteVerdict {
        unsafe url.utf8.withContiguousStorageIfAvailable { unsafe verdict(forURL: $0) } ?? verdict(copying: url)
    }

    /// Bridged Objective-C strings have no contiguous UTF-8, so the bytes are copied.
    @inline(never)
    private func verdict(copying url: String) -> SiteVerdict {
        let bytes = Array(url.utf8)
        return unsafe bytes.withUnsafeBufferPointer { unsafe verdict(forURL: $0) }
    }

    /// ``verdict(forURL:)`` for the bytes of a URL.
    ///
    /// - Parameters:
    ///   - url: the bytes of the URL.
    ///   - hosts: how its host is read; `nil` means ``HostReader/ascii``. A plain URL does not use it.
    package func verdict(forURL url: UnsafeBufferPointer<UInt8>, hosts: HostReader? = nil) -> SiteVerdict {
        if let plain = unsafe PlainURL(url) { return unsafe verdict(plain, of: url) }
        return unsafe verdict(forUnusualURL: url.span, hosts ?? .ascii)
    }

    /// The verdict about a URL whose parts were found in `url`.
    @inline(__always)
    func verdict(_ plain: PlainURL, of url: UnsafeBufferPointer<UInt8>) -> SiteVerdict {
        assert(plain.host.upperBound <= url.count && plain.path.upperBound <= url.count)
        // In bounds: `PlainURL` found the parts in `url`.
        let host = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(url)[plain.host])
        guard plain.path.count > 1 else {
            return unsafe verdict(host, SiteRequest(scheme: plain.scheme, port: plain.port, path: "/".utf8))
        }
        let path = unsafe UnsafeBufferPointer(rebasing: url[plain.path])
        return unsafe verdict(host, SiteRequest(scheme: plain.scheme, port: plain.port, path: path))
    }

    @inline(never)
    private func verdict(forUnusualURL url: Span<UInt8>, _ hosts: HostReader) -> SiteVerdict {
        do throws(URLLocationError) {
            let location = try URLLocation(parsing: url, hosts: hosts)
            return verdict(for: location.origin, path: location.path)
        } catch {
            return .invalid(error)
        }
    }
}
