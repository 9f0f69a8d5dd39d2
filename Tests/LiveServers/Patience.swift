internal import AllowedSites
internal import HTTPAuthentication
package import NIOCore
internal import NTLM
internal import Sallyport
package import SallyportClient
package import SallyportNIO

extension TimeAmount {
    /// A limit that only ends a hang, and is not the subject of the test: longer than a test may take (``Turn/limit``).
    package static var patient: TimeAmount { .hours(1) }
}

extension ClientSettings {
    /// The limits that only end a hang are long: a machine that has much to do reaches those of seconds.
    package static var patient: ClientSettings {
        var settings = ClientSettings()
        (settings.connectLimit, settings.idleLimit, settings.continueLimit) = (.patient, .patient, .patient)
        return settings
    }
}

extension TLSSettings {
    /// The same for handshakes.
    package static var patient: TLSSettings {
        var settings = TLSSettings()
        settings.handshakeLimit = .patient
        return settings
    }
}

extension TokenService {
    /// The same for token services.
    ///
    /// - Parameter tls: `nil` for the roots of the system, which services without TLS do not need.
    package static func patient(
        tls: TLSConnector?,
        settings: ClientSettings = .patient,
        limit: TimeAmount = .patient
    ) throws -> TokenService {
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        let tls = try tls ?? TLSConnector(CurrentHandler(ChallengeHandler(profile: nothing)))
        return try TokenService(tls: tls, settings: settings, limit: limit)
    }
}

extension AuthenticationServerOptions {
    /// The same for servers, whose directory waits for its turn among all tests.
    package static var patient: AuthenticationServerOptions {
        AuthenticationServerOptions(directoryPatience: .patient, droppingPatience: .patient)
    }
}
