import LiveServers
import Synchronization
import WireFormat

/// A parent whose password can be changed; it counts wrong ones.
final class ChangingParent: Sendable {
    private let state = Mutex((password: "right", bad: 0))

    func change(to password: String) { state.withLock { $0.password = password } }
    func takeBad() -> Int {
        state.withLock { state in
            defer { state.bad = 0 }
            return state.bad
        }
    }

    func reply(to request: ScriptedServer.Request) -> ScriptedServer.Reply {
        let field = request.field("Proxy-Authorization")
        let isRight = state.withLock { state in
            let isRight = field == "Basic \(base64("jdoe:\(state.password)"))"
            if field != nil, !isRight { state.bad += 1 }
            return isRight
        }
        if isRight { return .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
    }
}

private func base64(_ text: String) -> String { Base64.encode(Array(text.utf8).span) }
