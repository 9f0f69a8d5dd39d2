import Foundation
import SPKIPins

/// Certificates of this machine.
enum Corpus {
    static let bundle = URL(filePath: "/etc/ssl/certs/ca-certificates.crt")

    static var hasBundle: Bool { FileManager.default.isReadableFile(atPath: bundle.path) }

    static func certificates(_ files: [URL]) throws -> [[UInt8]] {
        try files.flatMap { file in
            let bytes = [UInt8](try Data(contentsOf: file))
            return try PEM.certificates(in: bytes.span)
        }
    }
}
