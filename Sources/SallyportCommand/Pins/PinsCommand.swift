internal import ArgumentParser
internal import Foundation
internal import SPKIPins

/// `sallyport pins`: keys of certificates, and policies about them.
struct PinsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "Reads pins from certificates, holds chains against policies, audits and converts policies.",
        subcommands: [
            PinsExtractCommand.self, PinsCheckCommand.self, PinsAuditCommand.self, PinsConvertCommand.self,
        ]
    )
}

/// What the commands about pins share.
enum PinsInput {
    /// The most bytes of a file.
    static let largestFile = 64 << 20

    /// Ends the command with one line about a file; `verb` is all of its name, such as `pins check`.
    static func fail(_ verb: String, _ text: String) -> ExitCode {
        StandardError.write("sallyport \(verb): \(text.inOneLine)\n")
        return CommandExit.couldNotRun
    }

    /// The bytes of a file, or of standard input for `-`.
    static func bytes(of file: String, _ verb: String) throws -> [UInt8] {
        do {
            let handle = file == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: file))
            let data = try handle.read(upToCount: largestFile + 1) ?? Data()
            guard data.count <= largestFile else { throw fail(verb, "\(file): more than \(largestFile) bytes") }
            return [UInt8](data)
        } catch let code as ExitCode {
            throw code
        } catch {
            throw fail(verb, "\(file): cannot be read; check path and permissions")
        }
    }

    /// The certificates of a file in PEM or DER.
    static func certificates(of file: String, _ verb: String) throws -> [[UInt8]] {
        let bytes = try bytes(of: file, verb)
        do {
            let certificates = try CertificateInput.certificates(in: bytes.span)
            guard !certificates.isEmpty else { throw fail(verb, "\(file): no certificate in it (PEM or DER)") }
            return certificates
        } catch let code as ExitCode {
            throw code
        } catch {
            throw fail(verb, "\(file): \(error)")
        }
    }

    /// A time as given with `--at`, or now.
    static func time(at text: String?, _ verb: String) throws -> Int64 {
        guard let text else { return Int64(Date().timeIntervalSince1970) }
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw fail(verb, "--at takes a time like 2036-01-01T00:00:00Z")
        }
        return Int64(date.timeIntervalSince1970)
    }

    /// Whether these are the bytes of a compiled policy.
    static func isImage(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "SPKIPINS".utf8) }

    /// One object in one line.
    static func line(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Every value is a number, a text or a flag: encoding cannot fail.
        let data = (try? encoder.encode(value)) ?? Data()
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
