import Synchronization

@testable import ChallengeHandling
@testable import Sallyport

/// Collects events, one microsecond apart.
final class EventRecorder: Sendable {
    private let events = Mutex<[AuthenticationEvent]>([])
    private let time = Mutex<Int64>(0)

    var observer: EventObserver {
        EventObserver(
            clock: { [self] in
                time.withLock { time in
                    time += 1
                    return time
                }
            },
            receive: { [self] event in events.withLock { $0.append(event) } }
        )
    }

    var all: [AuthenticationEvent] { events.withLock { $0 } }
    var codes: [String] { all.map(\.content.code) }

    /// The events since the last call.
    func take() -> [AuthenticationEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// Everything that reflection finds in the events, and their descriptions.
    var dumped: String {
        var text = ""
        for event in all {
            dump(event, to: &text)
            text += "\n\(event)\n\(String(reflecting: event))\n"
        }
        return text
    }
}

extension AuthenticationEvent {
    var selection: SchemeSelection? {
        guard case .selection(let selection) = content else { return nil }
        return selection
    }

    var answer: AnswerSent? {
        guard case .answered(let answer) = content else { return nil }
        return answer
    }

    var end: RequestEnd? {
        guard case .ended(let end) = content else { return nil }
        return end
    }

    var refusal: Refusal? {
        guard case .withheld(let refusal, by: _) = end?.outcome else { return nil }
        return refusal
    }
}
