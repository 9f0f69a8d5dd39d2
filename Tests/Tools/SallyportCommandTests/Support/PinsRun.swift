import Foundation
import TestSupport

/// One run of `sallyport pins` with files that stand in the arguments by their names.
struct PinsRun {
    let status: Int32
    let output: String
    let error: String

    /// The pins of the chain that `Tests/Engines/Helpers/Certificates` holds, as OpenSSL computes them.
    static let leaf = "f8enkME6iYEpri7ejjLRnDnYyRY8ChezHkly70IBcHI="
    static let issuer = "n+P37FkNKRzFhlggRc/0ytAYsNCQf7+F0eSei/8+jfI="
    static let anchor = "fiMECVoG+6+xeFNFU7r7DqtfLs3jJOu9pyDSvt53p0c="

    /// That chain, leaf first.
    static func chain(_ names: [String] = ["leaf", "issuer", "anchor"]) throws -> String {
        try names.map { name in
            try String(
                contentsOf: HelperFile.url("../../Engines/Helpers/Certificates/chain-\(name).pem"),
                encoding: .utf8
            )
        }.joined()
    }

    /// A policy in our own form.
    static func policy(_ host: String, pin: String, backup: String, expires: String? = nil) -> String {
        let expiry = expires.map { ",\"expires\":\"\($0)\"" } ?? ""
        return """
            {"entries":[{"host":"\(host)","pins":[{"sha256":"\(pin)"}],"backups":[{"sha256":"\(backup)"}]\(expiry)}]}
            """
    }

    /// Runs the command, and with the same files a second one if the first said yes.
    ///
    /// - Parameter arguments: an `@` stands for the folder of the files.
    init(_ arguments: [String], files: [String: String] = [:], input: String = "", andThen next: [String] = []) throws {
        let folder = TemporaryFolder.place("pins")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let path = folder.path(percentEncoded: false)
        func run(_ arguments: [String]) throws -> SallyportRun {
            try SallyportRun(["pins"] + arguments.map { $0.replacing("@", with: "\(path)/") }, input: input.utf8)
        }
        var last = try run(arguments)
        if !next.isEmpty, last.status == 0 { last = try run(next) }
        func short(_ text: String) -> String { text.replacing("\(path)/", with: "") }
        (status, output, error) = (last.status, short(last.output), short(last.error))
    }

    /// Each line of the output as a JSON object.
    func objects() throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
    }
}
