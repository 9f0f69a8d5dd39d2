/// The servers with Digest that scripts in `Tests/Servers` start, and what stands before them; they know the accounts of ``ServerScript``.
package final class DigestServer {
    package let port: UInt16
    private let process: HelperProcess

    private init(_ script: String, port: UInt16, _ arguments: [String]) throws {
        self.port = port
        process = try HelperProcess(server: script, ["\(port)"] + arguments)
    }

    /// lighttpd with MD5, SHA-256, SHA-512-256 and userhash.
    package static func lighttpd() throws -> DigestServer {
        try DigestServer("lighttpd-digest", port: ServerPort.take(), [ServerScript.accountList])
    }

    /// httpbin, which knows auth-int.
    package static func httpbin() throws -> DigestServer {
        try DigestServer("httpbin-digest", port: ServerPort.take(), [])
    }

    /// Two servers of Twisted behind one name, of which each connection gets the other one. They do not say `stale`.
    package static func twistedPair() throws -> DigestServer {
        try DigestServer("twisted-pair", port: ServerPort.take(), ["jdoe:\(GuardedServer.password)"])
    }

    /// HAProxy before two servers, of which each connection gets the other one.
    package static func pair(_ first: UInt16, _ second: UInt16) throws -> DigestServer {
        try DigestServer("haproxy-pair", port: ServerPort.take(), ["\(first)", "\(second)"])
    }

    /// Sends a line to the script, and returns the one that answers it.
    package func ask(_ line: String) throws -> String { try process.ask(line) }

    /// Squid, whose nonces are stale after `nonceCount` requests, before an open server on `origin`.
    package static func squid(origin: UInt16, nonceCount: Int) throws -> DigestServer {
        let arguments = ["\(origin)", "\(nonceCount)", ServerScript.accountList]
        return try DigestServer("squid-digest", port: ServerPort.take(), arguments)
    }
}
