package import Sallyport
internal import Synchronization

/// Collects events, one microsecond apart.
package final class EventRecorder: Sendable {
    private let events = Mutex<[AuthenticationEvent]>([])
    private let time = Mutex<Int64>(0)

    package init() {}

    package var observer: EventObserver {
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

    package var all: [AuthenticationEvent] { events.withLock { $0 } }
    package var codes: [String] { all.map(\.content.code) }

    /// The events since the last call.
    package func take() -> [AuthenticationEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// Everything that reflection finds in the events, and their descriptions.
    package var dumped: String {
        var text = ""
        for event in all {
            dump(event, to: &text)
            text += "\n\(event)\n\(String(reflecting: event))\n"
        }
        return text
    }
}

extension AuthenticationEvent {
    package var selection: SchemeSelection? {
        guard case .selection(let selection) = content else { return nil }
        return selection
    }

    package var answer: AnswerSent? {
        guard case .answered(let answer) = content else { return nil }
        return answer
    }

    package var end: RequestEnd? {
        guard case .ended(let end) = content else { return nil }
        return end
    }

    package var refusal: Refusal? {
        guard case .withheld(let refusal, by: _) = end?.outcome else { return nil }
        return refusal
    }
}
