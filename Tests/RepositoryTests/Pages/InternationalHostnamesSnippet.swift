import AllowedSites
import Hostnames
import InternationalHostnames

/// The snippet of InternationalHostnames.md.
enum InternationalHostnamesSnippet {
    static func read(_ bytes: Span<UInt8>) throws -> (Hostname, SiteList) {
        let host = try Hostname(international: "Bücher.example")  // xn--bcher-kva.example
        let list = try SiteList(parsing: bytes, name: "sites.txt", hosts: .international)
        return (host, list)
    }
}
