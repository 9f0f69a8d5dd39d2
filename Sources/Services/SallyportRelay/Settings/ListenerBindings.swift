internal import NTLM
internal import SallyportNIO
internal import ServiceSockets

/// What NTLM and Kerberos of clients are bound to, at listeners with TLS.
struct ListenerBindings: Sendable {
    /// `nil` if nothing is compared.
    let policy: ServerHandshake.BindingPolicy?

    init(_ settings: RelaySettings) {
        policy = settings.channelBinding.policy(for: settings.certificate?.leaf)
    }

    /// Why clients of a listener cannot bind their log-on, though the settings demand it; `nil` if they can.
    static func gap(of address: ListenAddress, _ settings: RelaySettings) -> String? {
        guard settings.channelBinding == .required, settings.clientAccounts != nil else { return nil }
        guard address.isSecure else { return "it has no TLS to bind to" }
        guard let leaf = settings.certificate?.leaf else { return "its certificate is not known" }
        return ChannelBindingDemand.gap(of: leaf)
    }
}
