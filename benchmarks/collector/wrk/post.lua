-- The same body again and again, for endpoints that write nothing.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = os.getenv("EVENT_BODY")
