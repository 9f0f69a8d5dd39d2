internal import AllowedSites
internal import NIOCore
internal import NIOHTTP1
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO

/// A file for everybody, at a URL of http or https. No account answers for it, and no client certificate is presented.
enum PublicFile {
    /// Why it was not fetched: the problem and the remedy, without the place.
    struct Problem: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// Whether an argument is a URL, and not a path.
    static func isURL(_ text: String) -> Bool {
        let text = text.lowercased()
        return text.hasPrefix("http://") || text.hasPrefix("https://")
    }

    /// Fetches the file.
    ///
    /// - Throws: ``Problem``, `ClientError.bodyTooLong` or `CancellationError`.
    static func bytes(
        of url: String,
        atMost most: Int,
        within limit: TimeAmount,
        _ settings: ClientSettings = ClientSettings(),
        _ tls: TLSSettings = TLSSettings()
    ) async throws -> [UInt8] {
        do {
            let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [])
            let current = CurrentHandler(try ChallengeHandler(profile: nothing, at: 0))
            let client = AuthenticatedClient(current, settings: settings, tls: try TLSConnector(tls, current))
            defer { client.shutDown() }
            let response = try await client.execute(try ClientRequest(url: url), deadline: .now() + limit)
            guard response.status == .ok else {
                throw Problem(description: "the server answers \(response.status.code): correct the URL")
            }
            return [UInt8](buffer: try await response.body.collect(upTo: most))
        } catch let problem as Problem {
            throw problem
        } catch ClientError.bodyTooLong(let limit) {
            throw ClientError.bodyTooLong(limit: limit)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Problem(description: "it cannot be fetched (\(error)): check the URL, and fetch it by hand")
        }
    }
}
