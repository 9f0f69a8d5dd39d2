internal import NIOCore
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
    package static func patient(tls: TLSConnector?) throws -> TokenService {
        try TokenService(tls: tls, settings: .patient, limit: .hours(1))
    }
}
