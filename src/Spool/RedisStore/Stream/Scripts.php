<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

/**
 * What Redis runs, each as one step. KEYS is as Keys has them.
 *
 * A script of the owner begins with a command that writes and needs no memory: from then on Redis lets it finish, also
 * at maxmemory, where nothing but delivering makes room.
 *
 * @internal
 */
final readonly class Scripts
{
    /** Of tokens: a set takes some 50 bytes for each, and there are two. */
    public const MOST_TOKENS = 250_000;

    /** A set of tokens takes no more after this long. */
    public const TOKENS_MILLIS = 600_000;

    /**
     * ARGV: token ("" for none), payload, events, microseconds, an id for the stream should it be new.
     *
     * Returns the entry's id, "" where the token was seen, whether the stream is new, its id, the server's, and the
     * events that have come into it.
     */
    public const APPEND = self::PUT."\n".<<<'LUA'
        local new = ensure(ARGV[5])
        arrive()
        local id = put(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
        if type(id) == 'table' then return id end
        local of = redis.call('HMGET', KEYS[2], 'node', 'server', 'logged', 'reckoned', 'forgotten', 'settled')
        return {id, new, of[1], of[2], of[3] + (of[4] or 0) + (of[5] or 0) + (of[6] or 0)}
        LUA;

    /**
     * ARGV: id for a new stream, node, its cursor before, its cursor after, then token, payload, events and
     * microseconds for each frame.
     *
     * Returns "" when done, and the node's cursor where that is not where it should be.
     */
    public const DRAIN = self::PUT."\n".<<<'LUA'
        local cursor = redis.call('HGET', KEYS[2], 'drained:' .. ARGV[2])
        if cursor ~= false and cursor ~= ARGV[3] then return cursor end
        ensure(ARGV[1])
        arrive()
        for at = 5, #ARGV, 4 do
            local id = put(ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
            if type(id) == 'table' then return id end
        end
        redis.call('HSET', KEYS[2], 'drained:' .. ARGV[2], ARGV[4])
        return ''
        LUA;

    /**
     * What DRAIN does with a frame of which nobody knows whether it is in the stream, or was:
     * its events become letters.
     *
     * ARGV: id for a new stream, node, cursor before, cursor after, how many of the events had come into the stream
     * before it was set back, then a JSON text for each event with "@" for its place.
     */
    public const SET_ASIDE = self::PUT."\n".<<<'LUA'
        local there = redis.call('HGET', KEYS[2], 'drained:' .. ARGV[2])
        if there ~= false and there ~= ARGV[3] then return there end
        ensure(ARGV[1])
        redis.call('HSET', KEYS[2], 'drained:' .. ARGV[2], ARGV[4])
        redis.call('HINCRBY', KEYS[2], 'aside', #ARGV - 5)
        redis.call('HINCRBY', KEYS[2], 'found', ARGV[5])
        for at = 6, #ARGV do
            local place = string.format('%020d-%020d-%05d', 0, redis.call('HINCRBY', KEYS[2], 'aside_places', 1), 0)
            redis.call('HSET', KEYS[7], place, (string.gsub(ARGV[at], '@', place, 1)))
        end
        return ''
        LUA;

    /**
     * A disk that is gone. Should it come back, it may be that Redis had taken something of which that disk was not
     * told; it learns from the time that nobody knows any more.
     *
     * ARGV: node. Returns whether anything was known of it.
     */
    public const FORGET_NODE = <<<'LUA'
        if redis.call('HDEL', KEYS[2], 'drained:' .. ARGV[1]) == 0 then return 0 end
        local now = redis.call('TIME')
        redis.call('HSET', KEYS[2], 'nodes_forgotten_at', now[1] .. string.format('%03d', math.floor(now[2] / 1000)))
        return 1
        LUA;

    /**
     * ARGV: token. Returns whether it was seen, the milliseconds from which on all tokens are known ("" where there is
     * no stream), and the time.
     */
    public const KNOWS = <<<'LUA'
        local now = redis.call('TIME')
        local seen = redis.call('SISMEMBER', KEYS[3], ARGV[1]) + redis.call('SISMEMBER', KEYS[4], ARGV[1])
        return {seen, redis.call('HGET', KEYS[2], 'tokens_since') or '', now[1] .. string.format('%03d', math.floor(now[2] / 1000))}
        LUA;

    /**
     * ARGV: owner, milliseconds, id for a new stream. Returns 0 and who owns it, or 1, the stream's id,
     * whether it is new.
     */
    public const CLAIM = self::PUT."\n".<<<'LUA'
        redis.call('HDEL', KEYS[2], '-')
        if redis.call('SET', KEYS[6], ARGV[1], 'NX', 'PX', ARGV[2]) == false then return {0, redis.call('GET', KEYS[6])} end
        local new = ensure(ARGV[3])
        arrive()
        return {1, redis.call('HGET', KEYS[2], 'node'), new}
        LUA;

    /** Returns meta by field and value. */
    public const META = "return redis.call('HGETALL', KEYS[2])";

    /** ARGV: a note. Returns 0 where it is paused already. */
    public const PAUSE = "redis.call('HDEL', KEYS[2], '-') return redis.call('HSETNX', KEYS[2], 'paused', ARGV[1])";

    public const RESUME = "return redis.call('HDEL', KEYS[2], 'paused')";

    /** Returns the record, meta by field and value, the last entry's id, who owns it. */
    public const SNAPSHOT = <<<'LUA'
        local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
        return {redis.call('HGET', KEYS[5], 'record') or '', redis.call('HGETALL', KEYS[2]), last[1] and last[1][1] or '', redis.call('GET', KEYS[6]) or ''}
        LUA;

    /** ARGV: owner. */
    public const RELEASE = <<<'LUA'
        if redis.call('GET', KEYS[6]) == ARGV[1] then return redis.call('DEL', KEYS[6]) end
        return 0
        LUA;

    /** ARGV: owner, milliseconds. Returns the record, meta by field and value, the last entry's id. */
    public const LOAD = self::FENCE."\n".<<<'LUA'
        local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
        return {redis.call('HGET', KEYS[5], 'record') or '', redis.call('HGETALL', KEYS[2]), last[1] and last[1][1] or ''}
        LUA;

    /** ARGV: owner, milliseconds, record, the first entry that is not delivered ("" leaves all where they are). */
    public const SAVE = self::FENCE."\n".<<<'LUA'
        redis.call('HSET', KEYS[5], 'record', ARGV[3])
        if ARGV[4] ~= '' then
            local last = redis.call('XREVRANGE', KEYS[1], '(' .. ARGV[4], '-', 'COUNT', 1)[1]
            if last then
                for at = 1, #last[2], 2 do
                    if last[2][at] == 's' then redis.call('HSET', KEYS[2], 'trimmed', last[2][at + 1], 'trimmed_to', ARGV[4]) end
                end
                redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[4])
            end
        end
        return tonumber(redis.call('HGET', KEYS[2], 'logged') or 0)
        LUA;

    /** ARGV: owner, milliseconds, the total up to which it was told what vanished. */
    public const NOTE_LOSS = self::FENCE."\n".<<<'LUA'
        redis.call('HSET', KEYS[2], 'told', ARGV[3])
        return 1
        LUA;

    /**
     * ARGV: owner, milliseconds, the first id that an entry may have from now on, in its two halves, replication id.
     */
    public const SECURE = self::FENCE."\n".<<<'LUA'
        redis.call('HSET', KEYS[2], 'floor_ms', ARGV[3], 'floor_seq', ARGV[4], 'replication', ARGV[5])
        if redis.call('HGET', KEYS[2], 'server') == ARGV[5] then redis.call('HDEL', KEYS[2], 'inherited') end
        return 1
        LUA;

    /**
     * ARGV: owner, milliseconds, events that were accepted and are lost, of those that are gone from the stream
     * those that were delivered, and those that are letters.
     */
    public const RECKON = self::FENCE."\n".<<<'LUA'
        redis.call('HINCRBY', KEYS[2], 'reckoned', ARGV[3])
        redis.call('HINCRBY', KEYS[2], 'lost', ARGV[3])
        redis.call('HINCRBY', KEYS[2], 'forgotten', ARGV[4])
        redis.call('HINCRBY', KEYS[2], 'settled', ARGV[5])
        redis.call('HDEL', KEYS[2], 'found')
        return 1
        LUA;

    /**
     * The ledger is right, and this stream has forgotten a part of what it says. What it holds before the ledger's
     * place is in the ledger or among the letters.
     *
     * ARGV: as SECURE, then the entry that the ledger's cursor is in, events that are known to have come into the
     * stream up to now but for what came since it was set back, events that have become letters, the record, a name for
     * the stream from now on, events that are known to be lost, and of those that are gone from the stream
     * how many are dead letters.
     */
    public const YIELD_TO = self::FENCE."\n".<<<'LUA'
        redis.call('HSET', KEYS[2], 'floor_ms', ARGV[3], 'floor_seq', ARGV[4], 'replication', ARGV[5])
        local last = redis.call('XREVRANGE', KEYS[1], '(' .. ARGV[6], '-', 'COUNT', 1)[1]
        local before = tonumber(redis.call('HGET', KEYS[2], 'trimmed') or 0)
        if last then
            for at = 1, #last[2], 2 do if last[2][at] == 's' then before = tonumber(last[2][at + 1]) end end
            redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[6])
        end
        redis.call('HSET', KEYS[2], 'trimmed', before, 'trimmed_to', ARGV[6], 'reckoned', tonumber(ARGV[7]) - before, 'lost', ARGV[11], 'branch', ARGV[10])
        redis.call('HDEL', KEYS[2], 'inherited', 'found')
        redis.call('HINCRBY', KEYS[2], 'settled', ARGV[12])
        redis.call('HINCRBY', KEYS[2], 'aside', ARGV[8])
        redis.call('HSET', KEYS[5], 'record', ARGV[9])
        return 1
        LUA;

    /** ARGV: owner, milliseconds, from id, to id, bytes. Returns entries; none is the end. */
    public const READ = self::FENCE."\n".self::CHUNK;

    /** ARGV: two that mean nothing, then as READ. */
    public const LOOK = self::CHUNK;

    /**
     * ARGV: from id, to id, entries, bytes. Returns events, bytes, the last id seen, microseconds of the first,
     * entries that are none of ours.
     */
    public const COUNT = <<<'LUA'
        local events, bytes, first, strange, start = 0, 0, '', 0, ARGV[1]
        for _ = 1, math.ceil(tonumber(ARGV[3]) / 4) do
            local got = redis.call('XRANGE', KEYS[1], start, ARGV[2], 'COUNT', 4)
            for _, entry in ipairs(got) do
                local of = {}
                for at = 1, #entry[2], 2 do of[entry[2][at]] = entry[2][at + 1] end
                if string.match(of.n or '', '^%d%d?%d?%d?%d?$') and of.p and tonumber(of.t) then
                    events = events + tonumber(of.n)
                    bytes = bytes + #of.p
                    if first == '' then first = of.t end
                else strange = strange + 1 end
                start = '(' .. entry[1]
            end
            if #got < 4 or got[4][1] == ARGV[2] then return {events, bytes, '', first, strange} end
            if bytes >= tonumber(ARGV[4]) then break end
        end
        return {events, bytes, start, first, strange}
        LUA;

    /**
     * An entry that the buffer did not make becomes a letter.
     *
     * ARGV: owner, milliseconds, the entry's id, a JSON text with "@" for its place. Returns 0 where it is gone.
     */
    public const SET_STRANGE_ASIDE = self::FENCE."\n".<<<'LUA'
        if redis.call('XDEL', KEYS[1], ARGV[3]) == 0 then return 0 end
        redis.call('HINCRBY', KEYS[2], 'aside', 1)
        local place = string.format('%020d-%020d-%05d', 0, redis.call('HINCRBY', KEYS[2], 'aside_places', 1), 0)
        redis.call('HSET', KEYS[7], place, (string.gsub(ARGV[4], '@', place, 1)))
        return 1
        LUA;

    /** Removes all keys of a bucket in which nothing waits. Returns the value of a RetirementOutcome. */
    public const RETIRE = <<<'LUA'
        if redis.call('EXISTS', KEYS[6]) == 1 then return 'busy' end
        if redis.call('XLEN', KEYS[1]) > 0 then return 'events_wait' end
        if redis.call('HLEN', KEYS[7]) > 0 then return 'dead_letters_wait' end
        redis.call('DEL', unpack(KEYS))
        return 'retired'
        LUA;

    /** ARGV: owner, milliseconds, place, letter. */
    public const BURY = self::FENCE."\n".<<<'LUA'
        return redis.call('HSETNX', KEYS[7], ARGV[3], ARGV[4])
        LUA;

    /** ARGV: owner, milliseconds, then places. */
    public const FORGET = self::FENCE."\n".<<<'LUA'
        for at = 3, #ARGV do redis.call('HDEL', KEYS[7], ARGV[at]) end
        return 1
        LUA;

    /** ARGV: owner, milliseconds, then place, line and microseconds for each letter. Returns how many were there. */
    public const REVIVE = self::FENCE."\n".self::PUT."\n".<<<'LUA'
        local revived = 0
        arrive()
        for at = 3, #ARGV, 3 do
            if redis.call('HEXISTS', KEYS[7], ARGV[at]) == 1 then
                local id = put('', ARGV[at + 1], '1', ARGV[at + 2])
                if type(id) == 'table' then return id end
                redis.call('HDEL', KEYS[7], ARGV[at])
                revived = revived + 1
            end
        end
        redis.call('HINCRBY', KEYS[2], 'revived', revived)
        return revived
        LUA;

    /** What takes place only while the caller owns the bucket, and prolongs that. */
    private const FENCE = <<<'LUA'
        if redis.call('GET', KEYS[6]) ~= ARGV[1] then return redis.error_reply('SPOOLOWNER ' .. (redis.call('GET', KEYS[6]) or 'nobody')) end
        redis.call('PEXPIRE', KEYS[6], ARGV[2])
        LUA;

    private const CHUNK = <<<'LUA'
        local out, bytes, start = {}, 0, ARGV[3]
        repeat
            local got = redis.call('XRANGE', KEYS[1], start, ARGV[4], 'COUNT', 4)
            for _, entry in ipairs(got) do
                out[#out + 1] = entry
                for _, text in ipairs(entry[2]) do bytes = bytes + #text end
                start = '(' .. entry[1]
            end
        until #got < 4 or got[4][1] == ARGV[4] or #out >= 1000 or bytes >= tonumber(ARGV[5])
        return out
        LUA;

    /**
     * `arrive` notes where the stream ends that a server has found when it took over, or was started: what came later,
     * its own clock has given its ids. That stays until an owner has held the stream against the ledger.
     *
     * Redis gives no id before the last one, and Redis 8 and Valkey 8 have no command that sets that back. So an id
     * that no clock tells is refused as long as entries wait, and the next append to an empty stream begins a new one,
     * under the same key. What the ledger has stays behind all new entries: `floor_ms` and
     * `floor_seq` outlive the stream.
     */
    private const PUT = 'local TOKENS_MILLIS, MOST_TOKENS, MOST_DIGITS = '.self::TOKENS_MILLIS.', '.self::MOST_TOKENS
        .', '.StreamId::DIGITS."\n".<<<'LUA'
        local now = redis.call('TIME')
        local millis, isBegun = now[1] .. string.format('%03d', math.floor(now[2] / 1000)), false
        local function ensure(id)
            if redis.call('HSETNX', KEYS[2], 'node', id) == 0 then return 0 end
            local replication = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') or ''
            redis.call('HSET', KEYS[2], 'tokens_since', millis, 'tokens_at', millis, 'replication', replication)
            return 1
        end
        local function last_id()
            local info = redis.call('EXISTS', KEYS[1]) == 1 and redis.call('XINFO', 'STREAM', KEYS[1]) or {}
            for at = 1, #info, 2 do if info[at] == 'last-generated-id' then return info[at + 1] end end
            return ''
        end
        local function arrive()
            local info = redis.pcall('INFO', 'replication')
            if type(info) ~= 'string' then return end
            local server = string.match(info, 'master_replid:(%w+)') or ''
            local meta = redis.call('HMGET', KEYS[2], 'server', 'replication')
            if server == meta[1] then return end
            local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
            redis.call('HSET', KEYS[2], 'server', server)
            if meta[1] or (meta[2] and meta[2] ~= server) then redis.call('HSETNX', KEYS[2], 'inherited', meta[1] and last and last[1] or '0-0') end
        end
        local function is_of_no_clock(id, floor)
            local ms, seq = string.match(id, '^(%d+)-(%d+)$')
            return #seq > MOST_DIGITS or (#ms > MOST_DIGITS and tonumber(ms) > tonumber(floor or 0))
        end
        local function put(token, payload, count, micros)
            if token ~= '' and redis.call('SISMEMBER', KEYS[3], token) + redis.call('SISMEMBER', KEYS[4], token) > 0 then return '' end
            local total = string.format('%.0f', tonumber(redis.call('HGET', KEYS[2], 'logged') or 0) + tonumber(count))
            local meta = redis.call('HMGET', KEYS[2], 'floor_ms', 'floor_seq', 'tokens_at')
            local fields = {'v', '1', 'n', count, 't', micros, 's', total, 'p', payload}
            local id = redis.pcall('XADD', KEYS[1], '*', unpack(fields))
            local last = type(id) == 'string' and id or last_id()
            if type(id) == 'table' and last ~= '18446744073709551615-18446744073709551615' then return id end
            if not isBegun and is_of_no_clock(last, meta[1]) then
                if type(id) == 'string' then redis.call('XDEL', KEYS[1], id) end
                if redis.call('XLEN', KEYS[1]) > 0 then
                    return redis.error_reply('SPOOLID the ids of the stream have come to ' .. last .. ', which no clock tells: another client added an entry with an id of its own.'
                        .. ' Run spool:flush until no event waits in the stream; the next append gets an id of today')
                end
                redis.call('DEL', KEYS[1])
                if redis.call('HEXISTS', KEYS[2], 'inherited') == 1 then redis.call('HSET', KEYS[2], 'inherited', '0-0') end
                id = redis.call('XADD', KEYS[1], '*', unpack(fields))
            end
            isBegun = true
            redis.call('HSET', KEYS[2], 'logged', total)
            local ms, seq = string.match(id, '^(%d+)-(%d+)$')
            ms, seq = tonumber(ms), tonumber(seq)
            if meta[1] and (ms < tonumber(meta[1]) or (ms == tonumber(meta[1]) and seq < tonumber(meta[2]))) then
                redis.call('XDEL', KEYS[1], id)
                id = redis.call('XADD', KEYS[1], meta[1] .. '-' .. meta[2], unpack(fields))
            end
            if token ~= '' then
                redis.call('SADD', KEYS[3], token)
                if tonumber(millis) - tonumber(meta[3] or 0) >= TOKENS_MILLIS or redis.call('SCARD', KEYS[3]) >= MOST_TOKENS then
                    redis.call('UNLINK', KEYS[4])
                    redis.call('RENAME', KEYS[3], KEYS[4])
                    redis.call('HSET', KEYS[2], 'tokens_since', meta[3] or millis, 'tokens_at', millis)
                end
            end
            return id
        end
        LUA;
}
