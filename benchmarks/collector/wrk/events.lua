-- Events with ids of their own: one per request, or LINES of them as NDJSON.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "common.lua")

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
