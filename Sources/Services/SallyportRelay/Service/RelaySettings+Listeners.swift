extension RelaySettings {
    /// All addresses, those of proxies first.
    func allListeners() throws(ActivationError) -> [RelayListener] {
        var all = listeners.map { RelayListener($0) }
        for socket in sockets { all.append(RelayListener(try ActivationSockets.address(of: socket), socket: socket)) }
        return all + mappings.map { RelayListener($0.listener, $0) }
    }
}
