-- The same body again and again, for endpoints that write nothing.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = os.getenv("EVENT_BODY")

-- The figures in a form that needs no guessing.
done = function(summary, latency, requests)
  io.write(string.format(
    '\nRESULT {"requests":%d,"micros":%d,"bytes":%d,"p50":%d,"p95":%d,"p99":%d,"max":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50.0), latency:percentile(95.0), latency:percentile(99.0), latency.max,
    summary.errors.connect, summary.errors.read, summary.errors.write, summary.errors.status, summary.errors.timeout
  ))
end
