-- Of all scripts here: how long a client pauses, and the figures as JSON.
local pause = tonumber(os.getenv("EVENT_PAUSE") or "0")

if pause > 0 then
  -- wrk asks before each request; not all at the same moment.
  delay = function() return math.random(0, 2 * pause) end
end

-- The figures in a form that needs no guessing.
done = function(summary, latency, requests)
  io.write(string.format(
    '\nRESULT {"requests":%d,"micros":%d,"bytes":%d,"p50":%d,"p95":%d,"p99":%d,"max":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50.0), latency:percentile(95.0), latency:percentile(99.0), latency.max,
    summary.errors.connect, summary.errors.read, summary.errors.write, summary.errors.status, summary.errors.timeout
  ))
end
