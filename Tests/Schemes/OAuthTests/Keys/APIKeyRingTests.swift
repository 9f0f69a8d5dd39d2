import Hostnames
import Secrets
import Testing

@testable import OAuth

@Suite struct APIKeyRingTests {
    @Test("The longest path wins, in whatever order keys were added", arguments: [false, true])
    func precedence(reversed: Bool) throws {
        let origin = try Origin(parsing: "https://api.example")
        let paths = ["/", "/maps", "/maps/basemaps"]
        var ring = APIKeyRing()
        for path in reversed ? paths.reversed() : paths {
            ring.add(APIKey(SharedSecret(utf8: path)), at: origin, path: path)
        }
        func key(_ path: String) -> String? { secretText(ring.key(for: origin, path: path)?.secret) }
        #expect(key("/") == "/")
        #expect(key("/maps") == "/maps")
        #expect(key("/mapsX") == "/")
        #expect(key("/maps/x") == "/maps")
        #expect(key("/maps/basemaps/1") == "/maps/basemaps")
        for path in ["/maps/%62asemaps", "/maps/../x", "/maps/basemaps;v=1", "/maps//basemaps", "/maps/basemaps/.."] {
            #expect(key(path) == "/", "\(path)")
        }
        #expect(ring.key(for: try Origin(parsing: "https://api.example:8443"), path: "/") == nil)
        #expect(ring.key(for: try Origin(parsing: "http://api.example"), path: "/") == nil)
        ring.add(APIKey(SharedSecret(utf8: "new")), at: origin, path: "/maps")
        #expect(key("/maps") == "new")
    }

    @Test("A description shows no key") func description() {
        let key = APIKey(SharedSecret(utf8: "s3cr3t"), placement: .query("key"))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!"\(key) \(dumped)".contains("s3cr3t"))
    }
}
