internal import CChildProcesses

/// The programs that this process has started and waits for.
package enum RunningChildren {
    /// Kills them, and what they have started: they lead sessions of their own, so that a signal of the terminal does not reach them.
    ///
    /// A signal handler may call it.
    package static func endAll() { sallyport_end_children() }
}
