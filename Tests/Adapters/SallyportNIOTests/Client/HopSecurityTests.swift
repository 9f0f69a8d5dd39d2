import Hostnames
import Sallyport
import Testing

@testable import SallyportNIO

/// What a handler of a client says about the connection to its hop, where it finds no TLS in the pipeline.
@Suite struct HopSecurityTests {
    @Test("A connection to https has TLS elsewhere, whose leaf is not known; one to http has none")
    func withoutHandler() throws {
        let secure = ConnectionTraits.Security(of: nil, to: try Origin(parsing: "https://wiki.acme.example"))
        #expect(secure == .unknownLeaf)
        let clear = ConnectionTraits.Security(of: nil, to: try Origin(parsing: "http://wiki.acme.example"))
        #expect(clear == ConnectionTraits.Security.none)
    }
}
