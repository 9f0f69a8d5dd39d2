import Hostnames

/// The snippet of Hostnames.md.
enum HostnamesSnippet {
    static func read() throws -> (Hostname, Origin, URLLocation) {
        let host = try Hostname(parsing: "WWW.Host.Example.")  // www.host.example
        let origin = try Origin(parsing: "https://[2001:DB8::0:1]:443")  // https://[2001:db8::1]
        let location = try URLLocation(parsing: "https://host.example/a?q")  // origin https://host.example, path /a
        return (host, origin, location)
    }
}
