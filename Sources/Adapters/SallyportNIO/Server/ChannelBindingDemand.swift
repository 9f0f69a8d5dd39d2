package import NTLM
internal import Sallyport

/// What a server that knows its own certificate does with the channel bindings of NTLM and Kerberos (`tls-server-end-point`, RFC 5929
/// section 4), which say for which server the client has made its answer.
public enum ChannelBindingDemand: String, Sendable, CaseIterable {
    /// Bindings are not compared, as behind a proxy that ends TLS with another certificate.
    case off
    /// A client that sends a binding must send that of this certificate. Clients without one, such as curl and cntlm with NTLM, are let in.
    case accepted
    /// A client without the right binding is refused.
    case required
}

extension ChannelBindingDemand {
    /// The rule for the connections of a server.
    ///
    /// - Parameter certificate: the leaf that it shows, in DER; `nil` if it is not known.
    /// - Returns: `nil` if the options of the authenticator decide: with `off`, and with `accepted` where the certificate has no binding, because
    ///   nothing could be compared.
    package func policy(for certificate: [UInt8]?) -> ServerHandshake.BindingPolicy? {
        let binding = certificate.flatMap { try? ServerEndPoint.binding(certificate: $0) }
        return switch self {
        case .off: nil
        case .accepted: binding.map { .accepted([$0]) }
        case .required: .required(binding.map { [$0] } ?? [])
        }
    }

    /// Why a certificate has no binding; `nil` if it has one.
    package static func gap(of certificate: [UInt8]) -> String? {
        do { _ = try ServerEndPoint.binding(certificate: certificate) } catch {
            return "\(ChannelBindingUse.unbound(error))"
        }
        return nil
    }
}
