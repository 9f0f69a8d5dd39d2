internal import HTTP1
internal import NIOHTTP1

extension ClientRequest {
    /// Why the request cannot be sent as one request; `nil` if it can.
    ///
    /// Nothing is repaired: a line end in a target or a field would be the begin of another request.
    var defect: String? {
        if !method.rawValue.utf8.allSatisfy(\.isToken) || method.rawValue.isEmpty { return "its method is no token" }
        if method == .CONNECT { return "CONNECT is the client's own: set a proxy" }
        if !target.hasPrefix("/"), target != "*" { return "its target does not begin with /" }
        if !target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            return "its target has a blank, a control or a byte above 0x7E: percent-encode it"
        }
        for (name, value) in headers {
            guard !name.isEmpty, name.utf8.allSatisfy(\.isToken) else { return "a field's name is no token" }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return "the field \(name) has a control in its value"
            }
        }
        return nil
    }
}
