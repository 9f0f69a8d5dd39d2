internal import AllowedSites
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import OfflineVerbs
internal import Sallyport
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

    private var isURL: Bool {
        let text = text.lowercased()
        return text.hasPrefix("http://") || text.hasPrefix("https://")
    }

    /// Reads it.
    func read() async throws -> String {
        let bytes = isURL ? try await fetch() : try file()
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
            // Without accounts: a script is for everybody.
            let handler = try ChallengeHandler(
                profile: SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: []),
                at: 0
            )
            let client = AuthenticatedClient(CurrentHandler(handler))
            defer { client.shutDown() }
            let response = try await client.execute(try ClientRequest(url: text), deadline: .now() + Self.limit)
            guard response.status == .ok else {
                throw problem("the server answers \(response.status.code): correct the URL")
            }
            return [UInt8](buffer: try await response.body.collect(upTo: ProxyScriptLimits.scriptBytes))
        } catch let problem as PACProblem {
            throw problem
        } catch ClientError.bodyTooLong {
            throw problem("\(ProxyScriptError.unusableScript)")
        } catch {
            throw problem("it cannot be fetched (\(error)): check the URL, and fetch it by hand")
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
