-- The requests of wrk in absolute form, as a proxy gets them, and its result in one line.
-- HAProxy refuses a Host that differs from the target.
function init(arguments)
  wrk.path = arguments[1]
  wrk.headers["Host"] = arguments[1]:match("^http://([^/]+)")
end
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("RESULT %d %d %d %d %d %d\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), latency:percentile(99.9), failed))
end
