import Foundation
import NIOCore
import Sallyport
import SallyportClient
import SallyportNIO

/// Sends nothing to a server that has neither of two keys: `pin-check URL PIN SPARE`, with pins such as `sha256/lar8…=`.
///
/// It prints the status of the response, or why the server was refused.
@main
enum PinCheck {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else {
            print("usage: pin-check URL PIN SPARE")
            exit(2)
        }
        let site = try URLLocation(parsing: words[1]).origin
        var profile = SecurityProfile(sites: try SiteList(parsing: "", name: "nobody"), schemes: [.basic])
        profile.pins = [
            PinPolicy.Entry(
                host: "\(site.host)",
                pins: [.init(try Pin(parsing: words[2]), at: .leaf)],
                backup: .pins([.init(try Pin(parsing: words[3]))]),  // the key that the server gets next
                expiry: nil
            )
        ]
        let client = AuthenticatedClient(CurrentHandler(try ChallengeHandler(profile: profile)))
        do {
            let response = try await client.execute(ClientRequest(url: words[1]), deadline: .now() + .seconds(30))
            print(response.status.code)
        } catch TLSError.serverRejected(let origin, let reason) {
            print("refused \(origin): \(reason)")
        }
    }
}
