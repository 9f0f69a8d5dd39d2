internal import Credentials
public import NIOSSL
internal import Secrets

/// The certificate and the key that the relay shows to its clients, at listeners that speak TLS.
public struct ListenerCertificate: Sendable {
    let context: NIOSSLContext
    /// The leaf in DER; `nil` if it is not known.
    let leaf: [UInt8]?

    /// Takes a context of NIOSSL.
    ///
    /// - Parameters:
    ///   - context: the certificate and its key.
    ///   - leaf: the certificate that the context shows, in DER; without it no channel binding is compared.
    public init(_ context: NIOSSLContext, leaf: [UInt8]? = nil) {
        (self.context, self.leaf) = (context, leaf)
    }

    /// Reads PEM files. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - chain: a file with the certificate, then those of its authorities.
    ///   - key: a file with the private key, without a passphrase. It belongs to this user, and other users must not have access; or it belongs to root,
    ///     and its group may read it.
    /// - Throws: ``ListenerCertificateError``.
    public init(chain: String, key: String) throws(ListenerCertificateError) {
        let certificates: [NIOSSLCertificate]
        do { certificates = try NIOSSLCertificate.fromPEMFile(chain) } catch {
            throw .init(file: chain, reason: "it has no certificate in PEM, or cannot be read")
        }
        guard !certificates.isEmpty else { throw .init(file: chain, reason: "it has no certificate in PEM") }
        let privateKey: NIOSSLPrivateKey
        var bytes = try Self.keyBytes(key)
        defer { erase(&bytes) }
        do { privateKey = try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch {
            throw .init(file: key, reason: "it has no private key in PEM without a passphrase")
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
        leaf = try? certificates[0].toDERBytes()
    }

    /// The most bytes of a file with a key.
    private static let mostKeyBytes = 1 << 20

    private static func keyBytes(_ path: String) throws(ListenerCertificateError) -> [UInt8] {
        do throws(PrivateFileProblem) {
            if let bytes = try PrivateFile.read(path, atMost: mostKeyBytes) { return bytes }
        } catch {
            throw .init(file: path, problem: "\(error)")
        }
        throw .init(file: path, reason: "it has more than \(mostKeyBytes) bytes")
    }
}

/// Why a certificate cannot be shown.
public struct ListenerCertificateError: Error, Equatable, Sendable {
    /// The file.
    public let file: String
    /// What is wrong with it, and what to do.
    public let reason: String

    init(file: String, reason: String) {
        self.init(file: file, problem: "\(reason): give a certificate and its key in PEM")
    }

    init(file: String, problem: String) { (self.file, reason) = (file, problem) }
}

extension ListenerCertificateError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String { "\(file): \(reason)" }
}
