internal import AllowedSites
internal import HTTPAuthentication
package import NIOCore
internal import NTLM
internal import Sallyport
package import SallyportNIO

extension ClientSettings {
    /// The limits that only end a hang are long: a machine that has much to do reaches those of seconds.
    package static var patient: ClientSettings {
        var settings = ClientSettings()
        (settings.connectLimit, settings.idleLimit, settings.continueLimit) = (.hours(1), .minutes(10), .minutes(5))
        return settings
    }
}

extension TLSSettings {
    /// The same for handshakes.
    package static var patient: TLSSettings {
        var settings = TLSSettings()
        settings.handshakeLimit = .hours(1)
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
        limit: TimeAmount = .hours(1)
    ) throws -> TokenService {
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        let tls = try tls ?? TLSConnector(CurrentHandler(ChallengeHandler(profile: nothing)))
        return try TokenService(tls: tls, settings: settings, limit: limit)
    }
}

extension AuthenticationServerOptions {
    /// The same for servers, whose directory waits for its turn among all tests.
    package static var patient: AuthenticationServerOptions {
        AuthenticationServerOptions(directoryPatience: .hours(1), droppingPatience: .hours(1))
    }
}
