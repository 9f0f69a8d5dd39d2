/// How a response of a relay's own begins, in its reason phrase and in its body, so that its reader does not take it for the server's.
package enum RelayMarker {
    package static let beginning = "sallyport relay: "

    /// What the relay says in a reason phrase or a body; `nil` for a response of another party.
    package static func text(of response: String) -> String? {
        guard response.hasPrefix(beginning) else { return nil }
        return String(response.dropFirst(beginning.count).prefix { !$0.isNewline })
    }
}
