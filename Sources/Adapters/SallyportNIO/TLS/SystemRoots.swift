internal import Foundation
internal import NIOPosix
internal import SwiftASN1
internal import WireFormat
internal import X509

/// The authorities that the system trusts: the certificates of one file, which is read once for the process.
///
/// swift-certificates has a store of them too, which is empty if one certificate of the file cannot be read, and tells no caller that it
/// has no roots.
package struct SystemRoots: Sendable {
    /// Names another file, as it does for OpenSSL, curl, Go and Python.
    static let variable = "SSL_CERT_FILE"
    /// Where systems keep the file: Debian, Ubuntu, Arch and Alpine; Fedora and Red Hat.
    static let places = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
    /// The most that is read of the file; Debian's has 220 KB.
    private static let mostBytes = 8 << 20

    /// The roots; empty if ``problem`` has a text.
    let store: CertificateStore
    /// How many roots there are.
    package let count: Int
    /// If the file cannot be used: the file, the reason and the remedy, in one line; otherwise `nil`.
    package let problem: String?

    /// The file that the variable names; `nil` without one.
    static let named = ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }

    /// The roots of this process. The first use begins to read them, on a thread that may block.
    static let shared = Task {
        do {
            return try await NIOThreadPool.singleton.runIfActive { read(named: named, places: places) }
        } catch {
            return SystemRoots(
                store: CertificateStore(),
                count: 0,
                problem: "the roots of the system were not read: \(error)"
            )
        }
    }

    /// Reads the file `named`, or else the first of `places` that has certificates. A certificate that cannot be read is left out.
    package static func read(named: String?, places: [String]) -> SystemRoots {
        var problems: [String] = []
        for path in named.map({ [$0] }) ?? places {
            do throws(FileReadError) {
                let bytes = try FileReading.start(of: path, count: mostBytes)
                let found = certificates(in: String(decoding: bytes, as: UTF8.self))
                guard found.isEmpty else {
                    return SystemRoots(store: CertificateStore(found), count: found.count, problem: nil)
                }
                problems.append("'\(path)' has no certificate in PEM")
            } catch {
                problems.append("cannot read '\(path)': \(error)")
            }
        }
        let remedy =
            named == nil
            ? "install the package ca-certificates, or name a file of roots in \(variable)"
            : "correct \(variable), which names the file"
        let problem = "the roots of the system are missing: \(problems.joined(separator: ", ")): \(remedy)"
        return SystemRoots(store: CertificateStore(), count: 0, problem: problem)
    }

    private static func certificates(in text: String) -> [Certificate] {
        let documents = (try? PEMDocument.parseMultiple(pemString: text)) ?? []
        return documents.compactMap { try? Certificate(pemDocument: $0) }
    }
}
