package import ChallengeHandling
package import Credentials
package import Hostnames
package import SPKIPins
internal import Sallyport
package import SallyportNIO
internal import X509

/// One root, and a client that trusts it.
package struct TLSWorld {
    package let root: TestAuthority
    package var pins: [PinPolicy.Entry] = []
    package var trustedKeys: [TrustedKey] = []
    package var identities: [SecurityProfile.Assignment<ClientIdentity>] = []
    package var settings = TLSSettings.patient

    package init() throws {
        root = try TestAuthority("Root")
        settings.roots = .certificates([try root.own.der])
    }

    package var compiled: CompiledProfile {
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

    package func connector() throws -> TLSConnector {
        try TLSConnector(settings, CurrentHandler(ChallengeHandler(compiled)))
    }

    package static var wiki: Origin { get throws { try Origin(parsing: "https://wiki.example") } }

    /// An entry for the wiki with one pin and a spare one.
    package static func entry(
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
