public import Logging
public import Sallyport

extension EventObserver {
    /// An observer that writes each event as a structured line of `logger`.
    ///
    /// | level | events |
    /// |---|---|
    /// | warning | a refused password, a password that is paused or refused from now on, a server that is not trusted, a sign-out with failures |
    /// | notice | an answer that is withheld, refusals that are forgotten, a sign-out |
    /// | info | questions and their replies, a profile in use |
    /// | debug | all others |
    ///
    /// The metadata has the keys of ``LogKey``. A line below the level of the logger costs a comparison.
    public static func logging(
        to logger: Logger,
        clock: @escaping Clock = EventObserver.systemClock
    ) -> EventObserver {
        EventObserver(clock: clock) { event in
            let level = event.content.level
            guard level >= logger.logLevel else { return }
            logger.log(level: level, "\(event.content)", metadata: event.metadata)
        }
    }
}

extension AuthenticationEvent.Content {
    /// The level of the event's log line.
    public var level: Logger.Level {
        switch self {
        case .started, .response, .selection, .answered, .tokenPlaced, .restarted, .waiting, .needed: .debug
        case .ended(let end):
            switch end.outcome {
            case .withheld(let refusal, by: _) where refusal.isOfParty: .warning
            case .withheld: .notice
            case .notChallenged, .accepted, .abandoned: .debug
            }
        case .asked, .replied, .profile: .info
        case .unmet: .notice
        case .judged(let judgement):
            if case .rejected = judgement.decision { .warning } else { .debug }
        case .lockout(let change): change.now == .refused || change.pause != nil ? .warning : .debug
        case .forgiven: .notice
        case .signedOut(let summary): summary.failures.isEmpty ? .notice : .warning
        }
    }
}
