public import NIOSSL

/// The certificate and the key that the relay shows to its clients, at listeners that speak TLS.
public struct ListenerCertificate: Sendable {
    let context: NIOSSLContext

    /// Takes a context of NIOSSL.
    public init(_ context: NIOSSLContext) { self.context = context }

    /// Reads PEM files. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - chain: a file with the certificate, then those of its authorities.
    ///   - key: a file with the private key, without a passphrase.
    /// - Throws: ``ListenerCertificateError``.
    public init(chain: String, key: String) throws(ListenerCertificateError) {
        let certificates: [NIOSSLCertificate]
        do { certificates = try NIOSSLCertificate.fromPEMFile(chain) } catch {
            throw .init(file: chain, reason: "it has no certificate in PEM, or cannot be read")
        }
        guard !certificates.isEmpty else { throw .init(file: chain, reason: "it has no certificate in PEM") }
        let privateKey: NIOSSLPrivateKey
        do { privateKey = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
            throw .init(
                file: key,
                reason: "it has no private key in PEM without a passphrase, or cannot be read"
            )
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) },
            privateKey: .privateKey(privateKey)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do { context = try NIOSSLContext(configuration: configuration) } catch {
            throw .init(file: key, reason: "the key is not that of the certificate")
        }
    }
}

/// Why a certificate cannot be shown.
public struct ListenerCertificateError: Error, Equatable, Sendable {
    /// The file.
    public let file: String
    /// What is wrong with it.
    public let reason: String
}

extension ListenerCertificateError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String { "\(file): \(reason): give a certificate and its key in PEM" }
}
