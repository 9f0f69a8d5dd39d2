internal import SallyportRelay

extension RelayError {
    /// The options that help; `nil` if the text of the error says enough.
    var options: String? {
        switch self {
        case .notLoopback: "--client-accounts, --client-directory, --client-keytab or --clients"
        case .cleartextClients: "--listen https://ADDRESS:PORT with --listen-certificate and --listen-key"
        case .noChannelBinding: "--listen https://ADDRESS:PORT, or --channel-binding accepted"
        case .noListener, .noParent, .noCertificate, .secureTunnel, .noLogOn, .cannotListen: nil
        }
    }
}
