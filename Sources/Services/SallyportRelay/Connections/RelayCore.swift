internal import Hostnames
internal import NIOCore
internal import Sallyport
internal import SallyportNIO

/// What all event loops of a relay share.
final class RelayCore: Sendable {
    let settings: RelaySettings
    let current: CurrentHandler
    /// Brings missing passwords; `nil` if the profile has them all.
    let authenticator: Authenticator?
    let tls: TLSConnector?
    /// The name in `Via`, by which the relay knows its own requests.
    let pseudonym: String
    let via: String
    let tasks = OwnedTasks()

    init(_ settings: RelaySettings, _ current: CurrentHandler, _ authenticator: Authenticator?, _ tls: TLSConnector?) {
        self.settings = settings
        self.current = current
        self.authenticator = authenticator
        self.tls = tls
        pseudonym = "sallyport-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        via = "Via: 1.1 \(pseudonym)\r\n"
    }
}
