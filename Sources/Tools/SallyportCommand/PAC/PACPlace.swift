internal import Foundation
internal import NIOCore
internal import OfflineVerbs
internal import SallyportClient
internal import SallyportRelay
internal import WireFormat

/// Where a PAC file is: a path, or a URL of http or https, which is fetched without a proxy.
struct PACPlace: Sendable {
    let text: String
    /// The option that named it.
    var option = "--pac"
    /// How long a server may take to send the file.
    private static let limit = TimeAmount.seconds(10)

    /// Reads it.
    func read() async throws -> String {
        let bytes = PublicFile.isURL(text) ? try await fetch() : try file()
        guard bytes.count <= ProxyScriptLimits.scriptBytes else { throw problem("\(ProxyScriptError.unusableScript)") }
        return Self.text(of: bytes)
    }

    /// The text of a file, in UTF-16 if it begins with the mark of that form, as browsers read it.
    static func text(of bytes: [UInt8]) -> String {
        let bytes = (try? ForeignFile.text(bytes)) ?? bytes
        // Old files are in Latin-1; only their comments matter.
        return String(validating: bytes, as: UTF8.self) ?? String(bytes.map { Character(Unicode.Scalar($0)) })
    }

    private func file() throws -> [UInt8] {
        do {
            let handle = try ArgumentPath.open(text)
            return [UInt8](try handle.read(upToCount: ProxyScriptLimits.scriptBytes + 1) ?? Data())
        } catch {
            throw problem("\(FileProblem.reading(text))")
        }
    }

    private func fetch() async throws -> [UInt8] {
        do {
            return try await PublicFile.bytes(of: text, atMost: ProxyScriptLimits.scriptBytes, within: Self.limit)
        } catch let error as PublicFile.Problem {
            throw problem("\(error)")
        } catch ClientError.bodyTooLong {
            throw problem("\(ProxyScriptError.unusableScript)")
        }
    }

    private func problem(_ text: String) -> PACProblem { PACProblem(option: option, place: self.text, text) }

    /// The program of one call: this one. After an update on disk it is still the one that runs.
    static var command: [String] {
        #if os(Linux)
            ["/proc/self/exe", "run-pac"]
        #else
            [Bundle.main.executablePath ?? "sallyport", "run-pac"]
        #endif
    }
}
