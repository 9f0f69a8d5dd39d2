internal import ClientAuthentication
internal import ServiceSockets

extension RelaySettings {
    /// All addresses, in the order of ``Relay/start()``.
    func allListeners() throws(ActivationError) -> [RelayListener] {
        var all = listeners.map { RelayListener($0) }
        for socket in sockets { all.append(RelayListener(try ActivationSockets.address(of: socket), socket: socket)) }
        all += mappings.map { RelayListener($0.listener, $0) }
        all += tunnels.map { RelayListener($0.listener, speech: .opaque($0)) }
        return all + socksListeners.map { RelayListener($0, speech: .socks) }
    }

    /// Whether the settings fit together, and serve only those whom they are for.
    func check(_ listeners: [RelayListener]) throws(RelayError) {
        guard !listeners.isEmpty else { throw .noListener }
        guard !parents.isEmpty || chooser != nil || listeners.allSatisfy({ $0.mapping != nil }) else {
            throw .noParent
        }
        for listener in listeners {
            if !listener.address.isLoopback, clients == nil, clientAccounts == nil {
                throw .notLoopback(listener.address)
            }
            if listener.speaksHTTP { try checkHTTP(listener.address) } else { try checkTunnels(listener) }
        }
    }

    private func checkHTTP(_ address: ListenAddress) throws(RelayError) {
        if let options = clientAccounts?.options, options.schemes.allSatisfy({ $0 == .basic }),
            !options.allowsCleartextBasic, !address.isSecure
        {
            throw .cleartextClients(address)
        }
        if address.isSecure, certificate == nil { throw .noCertificate(address) }
        if let reason = ListenerBindings.gap(of: address, self) { throw .noChannelBinding(address, reason: reason) }
    }

    /// Whether clients without HTTP can log on, if all clients must.
    private func checkTunnels(_ listener: RelayListener) throws(RelayError) {
        let address = listener.address
        if address.isSecure { throw .secureTunnel(address) }
        guard let options = clientAccounts?.options else { return }
        guard case .socks = listener.speech else { throw .noLogOn(address, .opaque) }
        guard options.schemes.contains(.basic) else { throw .noLogOn(address, .noPassword) }
        // RFC 1929: user and password go in clear text. On loopback no other machine is on the way.
        guard address.isLoopback || options.allowsCleartextBasic else { throw .noLogOn(address, .cleartext) }
    }
}
