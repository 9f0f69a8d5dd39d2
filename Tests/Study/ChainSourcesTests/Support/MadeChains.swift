import Corpora
import Crypto
import Foundation
import TestSupport
import WireFormat

@testable import ChainSources

/// Chains out of the recording "lab", whose certificates other code made.
struct MadeChains {
    let host: String
    /// When it was first seen.
    let time: Int64
    /// DER, leaf to anchor.
    let chain: [[UInt8]]

    /// The first observation of the recording's first host.
    init() throws {
        let folder = try ShippedChainRecording.lab.folder()
        let pem = try Data(contentsOf: folder.appending(path: "certificates.pem"))
        var pool: [String: [UInt8]] = [:]
        for certificate in try ImportFile.certificates([UInt8](pem), "lab") {
            pool[Hexadecimal.encode([UInt8](SHA256.hash(data: certificate)).span)] = certificate
        }
        let lines = try String(contentsOf: folder.appending(path: "observations.ndjson"), encoding: .utf8)
        for line in lines.split(separator: "\n") where line.contains(#""host":"host000.lab.example","label":"genuine""#)
        {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            let hashes = object["chain"] as? [String] ?? []
            host = "host000.lab.example"
            time = try Int64(Date(object["first"] as? String ?? "", strategy: .iso8601).timeIntervalSince1970)
            chain = hashes.compactMap { pool[$0] }
            return
        }
        throw CocoaError(.fileReadCorruptFile)
    }

    static func pem(_ certificates: [[UInt8]]) -> String {
        certificates.map { certificate in
            let options: Data.Base64EncodingOptions = [.lineLength64Characters, .endLineWithLineFeed]
            let text = Data(certificate).base64EncodedString(options: options)
            return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        }.joined()
    }
}
