-- GET, as wrk does by itself.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "common.lua")
