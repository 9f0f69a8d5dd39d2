#if canImport(Darwin)
    internal import Darwin

    extension PromptSignals {
        static func isIgnored(_ action: sigaction) -> Bool {
            unsafe unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == ignored
        }

        static func setHandler(of action: inout sigaction) {
            unsafe action.__sigaction_u = .init(__sa_handler: noteSignal)
        }
    }
#endif
