-- Events with ids of their own: one per request, or LINES of them as NDJSON. Prints what it counted as JSON.
local prefix = os.getenv("EVENT_PREFIX") or "event"
local lines = tonumber(os.getenv("EVENT_LINES") or "1")
local n = 0

wrk.method = "POST"
wrk.headers["Content-Type"] = lines > 1 and "application/x-ndjson" or "application/json"
wrk.headers["Authorization"] = os.getenv("EVENT_KEY") and ("Bearer " .. os.getenv("EVENT_KEY")) or nil

local function event()
  n = n + 1
  return '{"id":"' .. prefix .. n .. '","source":"bench","type":"page.viewed","time":"2026-01-01T10:05:03.123456Z","data":{"path":"/presentations/logstash-monitorama-2013/images/kibana-search.png","status":200,"bytes":203023,"referer":"http://example.org/presentations/"}}'
end

local pause = tonumber(os.getenv("EVENT_PAUSE") or "0")

if pause > 0 then
  -- wrk asks before each request; not all at the same moment.
  delay = function() return math.random(0, 2 * pause) end
end

if os.getenv("EVENT_CLOSE") then
  wrk.headers["Connection"] = "close"
end

request = function()
  if lines == 1 then
    return wrk.format(nil, nil, nil, event())
  end

  local body = {}

  for i = 1, lines do
    body[i] = event()
  end

  return wrk.format(nil, nil, nil, table.concat(body, "\n") .. "\n")
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
