import Foundation
import NIOCore
import NIOPosix
import TestLimits
import Testing

@testable import SallyportNIO

/// Connections that this machine could not make.
@Suite(.inTurn) struct LocalShortageTests {
    /// connect(2), socket(2) and accept(2).
    @Test(
        "The errors of this machine are told from those of the other end and of the way",
        arguments: [
            (EMFILE, LocalShortage.descriptors), (ENFILE, .files), (ENOBUFS, .memory), (ENOMEM, .memory),
            (EADDRNOTAVAIL, .ports), (ECONNREFUSED, nil), (EHOSTUNREACH, nil), (ENETUNREACH, nil), (ETIMEDOUT, nil),
            (ECONNRESET, nil), (EACCES, nil),
        ]
    )
    func errors(errno: Int32, shortage: LocalShortage?) {
        #expect(LocalShortage(IOError(errnoCode: errno, reason: "test")) == shortage)
    }

    @Test("An address that this machine does not have is its own problem, a port where no one listens is not")
    func live() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        // RFC 5737: an address for documentation.
        let other = try SocketAddress(ipAddress: "192.0.2.1", port: 0)
        let port = try SocketAddress(ipAddress: "127.0.0.1", port: 9)
        await #expect { try await ClientBootstrap(group: group).bind(to: other).connect(to: port).get() } throws: {
            LocalShortage($0) == .ports
        }
        await #expect { try await ClientBootstrap(group: group).connect(host: "localhost", port: 9).get() } throws: {
            LocalShortage($0) == nil
        }
        await #expect { try await ClientBootstrap(group: group).connect(host: "no.invalid", port: 9).get() } throws: {
            LocalShortage($0) == nil
        }
    }

    @Test("Each reason says what to do", arguments: LocalShortage.allCases)
    func remedies(shortage: LocalShortage) {
        #expect("\(shortage)".hasPrefix("this ") && "\(shortage)".contains(": "))
    }
}
