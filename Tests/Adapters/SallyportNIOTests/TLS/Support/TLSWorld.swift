import Credentials
import Hostnames
import LiveServers
import NIOCore
import SPKIPins
import Sallyport
import SallyportNIO
import X509

/// One root, and a client that trusts it.
struct TLSWorld {
    let root: TestAuthority
    var pins: [PinPolicy.Entry] = []
    var trustedKeys: [TrustedKey] = []
    var identities: [SecurityProfile.Assignment<ClientIdentity>] = []
    var settings = TLSSettings.patient

    init() throws {
        root = try TestAuthority("Root")
        settings.roots = .certificates([try root.own.der])
    }

    var compiled: CompiledProfile {
        get throws {
            let profile = SecurityProfile(
                sites: try SiteList(parsing: "wiki.example\n127.0.0.1", name: "test"),
                schemes: [.basic],
                identities: identities,
                pins: pins,
                trustedKeys: trustedKeys
            )
            return try CompiledProfile(profile, at: 0)
        }
    }

    func connector() throws -> TLSConnector { try TLSConnector(settings, CurrentHandler(ChallengeHandler(compiled))) }

    static var wiki: Origin { get throws { try Origin(parsing: "https://wiki.example") } }

    /// Writes a request for the wiki to `server`.
    func visit(_ server: TLSTestServer, _ origin: String = "https://wiki.example") async throws -> Exchange {
        try await TLSTestClient.exchange(connector(), Origin(parsing: origin), port: server.port)
    }

    /// An entry for the wiki with one pin and a spare one.
    static func entry(
        _ pin: Pin,
        at position: PinPosition = .any,
        host: String = "wiki.example",
        expiry: Int64? = nil,
        mode: PinPolicy.Mode = .enforce,
        forbidden: [Pin] = []
    ) -> PinPolicy.Entry {
        let spare = Pin(hashing: [UInt8](arrayLiteral: 1).span)
        return PinPolicy.Entry(
            host: host,
            pins: [PositionedPin(pin, at: position)],
            backup: .pins([PositionedPin(spare)]),
            expiry: expiry,
            mode: mode,
            forbidden: forbidden
        )
    }
}
