/// The labels of the metrics. All dimensions have few values: none is a host, an account or a path.
public enum MetricLabel: String, CaseIterable, Sendable {
    /// Requests that have ended, by `outcome`.
    case requests = "sallyport_requests_total"
    /// The time of a request from its start to its end, a timer.
    case requestDuration = "sallyport_request_duration"
    /// Answers that went out, by `scheme`, `party` and `in_advance`.
    case answers = "sallyport_answers_total"
    /// Requests whose answer was withheld, by `reason`. A refused password is not one of them.
    case withheld = "sallyport_withheld_total"
    /// Passwords that a party refused: what a directory counts as a bad log-on.
    case badLogOns = "sallyport_bad_log_ons_total"
    /// Requests that waited for another one's attempt.
    case waits = "sallyport_waits_total"
    /// Questions to stores, sources and people, by `source` and `reply`.
    case questions = "sallyport_questions_total"
    /// Servers that were not trusted, by `reason`.
    case rejectedServers = "sallyport_rejected_servers_total"
    /// Times that an account's password was paused everywhere.
    case pauses = "sallyport_pauses_total"
}
