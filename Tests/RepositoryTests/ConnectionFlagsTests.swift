import Foundation
import TestLimits
import Testing

/// Two flags together have four values, and often only three are possible. So the types that carry a request use enums.
@Suite struct ConnectionFlagsTests {
    /// The types that one request passes, with the files that hold their stored properties.
    private static let types = [
        "Sources/Services/SallyportRelay/Sockets/ChannelPace.swift",
        "Sources/Services/SallyportRelay/ClientSide/AcceptedConnection.swift",
        "Sources/Services/SallyportRelay/ClientSide/RelayedRequest.swift",
        "Sources/Services/SallyportRelay/ClientSide/RelayedBody.swift",
        "Sources/Services/SallyportRelay/UpstreamSide/UpstreamConnection.swift",
        "Sources/Adapters/SallyportNIO/Client/AuthenticationClientHandler.swift",
    ]

    @Test("The relay's connections and exchange, with their pace, and the NIO handler hold 12 flags") func flags()
        throws
    {
        // `var name: Bool { … }` is computed.
        let flag =
            /^ +(?:public |package |private |private\(set\) )*(?:let|var) (\w+)(?:: Bool$|(?:: Bool)? = (?:true|false)$)/
        var found: [String] = []
        for path in Self.types {
            for line in try Repository.text(path).split(separator: "\n") {
                if let match = line.prefixMatch(of: flag) {
                    found.append("\(path.split(separator: "/").last ?? ""): \(match.1)")
                }
            }
        }
        #expect(found.count == 12, "lower the number if there are fewer: \(found)")
    }
}
