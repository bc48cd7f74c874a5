<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

/**
 * The Lua scripts, each of which Redis runs as one step. KEYS is the list that Keys returns.
 *
 * A script of the owner begins with a command that writes and needs no memory. From then on Redis lets the script
 * finish, also at maxmemory, where only delivering frees memory.
 *
 * @internal
 */
final readonly class Scripts
{
    /** Maximum of tokens in a set. A token takes some 50 bytes, and there are two sets. */
    public const MAX_TOKENS = 250_000;

    /** After this time a new set of tokens begins. */
    public const TOKENS_MILLIS = 600_000;

    /**
     * ARGV: token ("" for none), payload, number of events, microseconds, an id for a new stream.
     *
     * Returns the entry's id ("" when the token was seen), whether the stream is new, the stream's id, the server's
     * replication id, and the number of events ever added to the stream.
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
     * ARGV: id for a new stream, node, its cursor before, its cursor after, then token, payload, number of events and
     * microseconds of each frame.
     *
     * Returns "" when done, or the node's cursor when it is not the one before.
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
     * Takes the place of DRAIN for a frame of which it is unknown whether the stream has or had it: the events become
     * dead letters.
     *
     * ARGV: id for a new stream, node, cursor before, cursor after, how many of the events were in the stream before
     * Redis lost data, then the JSON of each dead letter with "@" in place of its position. Returns the same as DRAIN.
     */
    public const DRAIN_TO_DEAD_LETTERS = self::PUT."\n".<<<'LUA'
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
     * Forgets a disk that was removed, and stores the time. If the disk comes back, Redis may have taken events without
     * the disk's knowledge; by this time, the drain knows that Redis cannot say which.
     *
     * ARGV: node. Returns whether Redis knew the disk.
     */
    public const FORGET_NODE = <<<'LUA'
        if redis.call('HDEL', KEYS[2], 'drained:' .. ARGV[1]) == 0 then return 0 end
        local now = redis.call('TIME')
        redis.call('HSET', KEYS[2], 'nodes_forgotten_at', now[1] .. string.format('%03d', math.floor(now[2] / 1000)))
        return 1
        LUA;

    /**
     * ARGV: token. Returns whether it was seen, the time in milliseconds from which on all tokens are known ("" when
     * there is no stream), and the present time.
     */
    public const HAS_TOKEN = <<<'LUA'
        local now = redis.call('TIME')
        local seen = redis.call('SISMEMBER', KEYS[3], ARGV[1]) + redis.call('SISMEMBER', KEYS[4], ARGV[1])
        return {seen, redis.call('HGET', KEYS[2], 'tokens_since') or '',
            now[1] .. string.format('%03d', math.floor(now[2] / 1000))}
        LUA;

    /**
     * ARGV: owner, milliseconds, id for a new stream. Returns 0 and the present owner; or 1, the stream's id, and
     * whether the stream is new.
     */
    public const CLAIM = self::PUT."\n".<<<'LUA'
        redis.call('HDEL', KEYS[2], '-')
        local is_owner = redis.call('SET', KEYS[6], ARGV[1], 'NX', 'PX', ARGV[2]) ~= false
        if not is_owner then return {0, redis.call('GET', KEYS[6])} end
        local new = ensure(ARGV[3])
        arrive()
        return {1, redis.call('HGET', KEYS[2], 'node'), new}
        LUA;

    /** Returns the fields of meta: names and values alternate. */
    public const META = "return redis.call('HGETALL', KEYS[2])";

    /** ARGV: a note. Returns 0 when the bucket is paused already. */
    public const PAUSE = "redis.call('HDEL', KEYS[2], '-') return redis.call('HSETNX', KEYS[2], 'paused', ARGV[1])";

    public const RESUME = "return redis.call('HDEL', KEYS[2], 'paused')";

    /** Returns the record, the fields of meta, the last entry's id, the owner. */
    public const SNAPSHOT = <<<'LUA'
        local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
        return {redis.call('HGET', KEYS[5], 'record') or '', redis.call('HGETALL', KEYS[2]),
            last[1] and last[1][1] or '', redis.call('GET', KEYS[6]) or ''}
        LUA;

    /** ARGV: owner. */
    public const RELEASE = <<<'LUA'
        if redis.call('GET', KEYS[6]) == ARGV[1] then return redis.call('DEL', KEYS[6]) end
        return 0
        LUA;

    /** ARGV: owner, milliseconds. Returns the record, the fields of meta, the last entry's id. */
    public const LOAD = self::FENCE."\n".<<<'LUA'
        local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
        return {redis.call('HGET', KEYS[5], 'record') or '', redis.call('HGETALL', KEYS[2]),
            last[1] and last[1][1] or ''}
        LUA;

    /** ARGV: owner, milliseconds, record, id of the first undelivered entry ("" trims no entry). */
    public const SAVE = self::FENCE."\n".<<<'LUA'
        redis.call('HSET', KEYS[5], 'record', ARGV[3])
        if ARGV[4] ~= '' then
            local last = redis.call('XREVRANGE', KEYS[1], '(' .. ARGV[4], '-', 'COUNT', 1)[1]
            if last then
                for at = 1, #last[2], 2 do
                    if last[2][at] == 's' then
                        redis.call('HSET', KEYS[2], 'trimmed', last[2][at + 1], 'trimmed_to', ARGV[4])
                    end
                end
                redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[4])
            end
        end
        return tonumber(redis.call('HGET', KEYS[2], 'logged') or 0)
        LUA;

    /** ARGV: owner, milliseconds, the total number of events up to which missing events were reported. */
    public const SAVE_REPORTED = self::FENCE."\n".<<<'LUA'
        redis.call('HSET', KEYS[2], 'told', ARGV[3])
        return 1
        LUA;

    /** ARGV: owner, milliseconds, the smallest id that a new entry may have, in two halves, replication id. */
    public const SECURE = self::FENCE."\n".<<<'LUA'
        redis.call('HSET', KEYS[2], 'floor_ms', ARGV[3], 'floor_seq', ARGV[4], 'replication', ARGV[5])
        if redis.call('HGET', KEYS[2], 'server') == ARGV[5] then redis.call('HDEL', KEYS[2], 'inherited') end
        return 1
        LUA;

    /**
     * Counts events that are gone from the stream.
     *
     * ARGV: owner, milliseconds, how many of them are lost, how many were delivered, how many are dead letters.
     */
    public const COUNT_LOSS = self::FENCE."\n".<<<'LUA'
        redis.call('HINCRBY', KEYS[2], 'reckoned', ARGV[3])
        redis.call('HINCRBY', KEYS[2], 'lost', ARGV[3])
        redis.call('HINCRBY', KEYS[2], 'forgotten', ARGV[4])
        redis.call('HINCRBY', KEYS[2], 'settled', ARGV[5])
        redis.call('HDEL', KEYS[2], 'found')
        return 1
        LUA;

    /**
     * Trims the stream to the ledger's position. The ledger is right, and the stream has lost entries before that
     * position. The events of the remaining entries before it were delivered or are dead letters.
     *
     * ARGV: those of SECURE, then the id of the entry at the ledger's cursor, the number of events known to have been
     * added to the stream before the loss, how many of these became dead letters now, the record, a new name of the
     * stream, how many events are known to be lost, and how many of the events that are gone are dead letters.
     */
    public const YIELD_TO = self::FENCE."\n".<<<'LUA'
        redis.call('HSET', KEYS[2], 'floor_ms', ARGV[3], 'floor_seq', ARGV[4], 'replication', ARGV[5])
        local last = redis.call('XREVRANGE', KEYS[1], '(' .. ARGV[6], '-', 'COUNT', 1)[1]
        local before = tonumber(redis.call('HGET', KEYS[2], 'trimmed') or 0)
        if last then
            for at = 1, #last[2], 2 do if last[2][at] == 's' then before = tonumber(last[2][at + 1]) end end
            redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[6])
        end
        redis.call('HSET', KEYS[2], 'trimmed', before, 'trimmed_to', ARGV[6], 'reckoned', tonumber(ARGV[7]) - before,
            'lost', ARGV[11], 'branch', ARGV[10])
        redis.call('HDEL', KEYS[2], 'inherited', 'found')
        redis.call('HINCRBY', KEYS[2], 'settled', ARGV[12])
        redis.call('HINCRBY', KEYS[2], 'aside', ARGV[8])
        redis.call('HSET', KEYS[5], 'record', ARGV[9])
        return 1
        LUA;

    /** ARGV: owner, milliseconds, from id, to id, bytes. Returns entries; an empty list means the end. */
    public const READ = self::FENCE."\n".self::CHUNK;

    /** READ without an owner. ARGV: two that are not used, from id, to id, bytes. */
    public const PEEK = self::CHUNK;

    /**
     * ARGV: from id, to id, number of entries, bytes. Returns the number of events, their bytes, the id to continue
     * from ("" at the end), microseconds of the first event, the number of entries that the buffer did not write.
     */
    public const COUNT = <<<'LUA'
        local events, bytes, first, foreign, start = 0, 0, '', 0, ARGV[1]
        for _ = 1, math.ceil(tonumber(ARGV[3]) / 4) do
            local got = redis.call('XRANGE', KEYS[1], start, ARGV[2], 'COUNT', 4)
            for _, entry in ipairs(got) do
                local of = {}
                for at = 1, #entry[2], 2 do of[entry[2][at]] = entry[2][at + 1] end
                if string.match(of.n or '', '^%d%d?%d?%d?%d?$') and of.p and tonumber(of.t) then
                    events = events + tonumber(of.n)
                    bytes = bytes + #of.p
                    if first == '' then first = of.t end
                else foreign = foreign + 1 end
                start = '(' .. entry[1]
            end
            if #got < 4 or got[4][1] == ARGV[2] then return {events, bytes, '', first, foreign} end
            if bytes >= tonumber(ARGV[4]) then break end
        end
        return {events, bytes, start, first, foreign}
        LUA;

    /**
     * Makes a dead letter of an entry that the buffer did not write.
     *
     * ARGV: owner, milliseconds, the entry's id, the letter's JSON with "@" in place of its position. Returns 0 when
     * the entry is gone.
     */
    public const BURY_FOREIGN = self::FENCE."\n".<<<'LUA'
        if redis.call('XDEL', KEYS[1], ARGV[3]) == 0 then return 0 end
        redis.call('HINCRBY', KEYS[2], 'aside', 1)
        local place = string.format('%020d-%020d-%05d', 0, redis.call('HINCRBY', KEYS[2], 'aside_places', 1), 0)
        redis.call('HSET', KEYS[7], place, (string.gsub(ARGV[4], '@', place, 1)))
        return 1
        LUA;

    /** Removes all keys of a bucket in which no event waits. Returns the value of a RetirementOutcome. */
    public const RETIRE = <<<'LUA'
        if redis.call('EXISTS', KEYS[6]) == 1 then return 'busy' end
        if redis.call('XLEN', KEYS[1]) > 0 then return 'events_wait' end
        if redis.call('HLEN', KEYS[7]) > 0 then return 'dead_letters_wait' end
        redis.call('DEL', unpack(KEYS))
        return 'retired'
        LUA;

    /** ARGV: owner, milliseconds, position, dead letter. */
    public const BURY = self::FENCE."\n".<<<'LUA'
        return redis.call('HSETNX', KEYS[7], ARGV[3], ARGV[4])
        LUA;

    /** ARGV: owner, milliseconds, then positions of dead letters. */
    public const FORGET = self::FENCE."\n".<<<'LUA'
        for at = 3, #ARGV do redis.call('HDEL', KEYS[7], ARGV[at]) end
        return 1
        LUA;

    /**
     * ARGV: owner, milliseconds, then position, line and microseconds of each dead letter. Returns how many existed.
     */
    public const RETRY = self::FENCE."\n".self::PUT."\n".<<<'LUA'
        local retried = 0
        arrive()
        for at = 3, #ARGV, 3 do
            if redis.call('HEXISTS', KEYS[7], ARGV[at]) == 1 then
                local id = put('', ARGV[at + 1], '1', ARGV[at + 2])
                if type(id) == 'table' then return id end
                redis.call('HDEL', KEYS[7], ARGV[at])
                retried = retried + 1
            end
        end
        redis.call('HINCRBY', KEYS[2], 'revived', retried)
        return retried
        LUA;

    /** Lets a script run only while the caller owns the bucket, and extends the ownership. */
    private const FENCE = <<<'LUA'
        local owner = redis.call('GET', KEYS[6])
        if owner ~= ARGV[1] then return redis.error_reply('SPOOLOWNER ' .. (owner or 'no process')) end
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
     * `arrive` stores the last entry that a server had when it took over or was started: the server's own clock gives
     * the ids of all later entries. The value stays until an owner has compared the stream with the ledger.
     *
     * Redis gives no id before the last one, and Redis 8 and Valkey 8 have no command that sets the last one back. So
     * an id that no clock gives is refused while entries wait, and the next append to an empty stream begins a new
     * stream under the same key. `floor_ms` and `floor_seq` outlive the stream, so that every new entry comes after the
     * ledger's position.
     */
    private const PUT = 'local TOKENS_MILLIS, MAX_TOKENS, MAX_DIGITS = '.self::TOKENS_MILLIS.', '.self::MAX_TOKENS
        .', '.StreamId::DIGITS."\n".<<<'LUA'
        local now = redis.call('TIME')
        local millis, has_put = now[1] .. string.format('%03d', math.floor(now[2] / 1000)), false
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
            if meta[1] or (meta[2] and meta[2] ~= server) then
                redis.call('HSETNX', KEYS[2], 'inherited', meta[1] and last and last[1] or '0-0')
            end
        end
        local function exceeds_clock(id, floor)
            local ms, seq = string.match(id, '^(%d+)-(%d+)$')
            return #seq > MAX_DIGITS or (#ms > MAX_DIGITS and tonumber(ms) > tonumber(floor or 0))
        end
        local function put(token, payload, count, micros)
            if token ~= '' and redis.call('SISMEMBER', KEYS[3], token) + redis.call('SISMEMBER', KEYS[4], token) > 0
            then
                return ''
            end
            local total = string.format('%.0f', tonumber(redis.call('HGET', KEYS[2], 'logged') or 0) + tonumber(count))
            local meta = redis.call('HMGET', KEYS[2], 'floor_ms', 'floor_seq', 'tokens_at')
            local fields = {'v', '1', 'n', count, 't', micros, 's', total, 'p', payload}
            local id = redis.pcall('XADD', KEYS[1], '*', unpack(fields))
            local last = type(id) == 'string' and id or last_id()
            if type(id) == 'table' and last ~= '18446744073709551615-18446744073709551615' then return id end
            if not has_put and exceeds_clock(last, meta[1]) then
                if type(id) == 'string' then redis.call('XDEL', KEYS[1], id) end
                if redis.call('XLEN', KEYS[1]) > 0 then
                    return redis.error_reply('SPOOLID the last id of the stream is ' .. last .. ', which no clock'
                        .. ' gives: another client added an entry with its own id. Run spool:flush until no event waits'
                        .. ' in the stream; the next append then gets an id of the clock')
                end
                redis.call('DEL', KEYS[1])
                if redis.call('HEXISTS', KEYS[2], 'inherited') == 1 then
                    redis.call('HSET', KEYS[2], 'inherited', '0-0')
                end
                id = redis.call('XADD', KEYS[1], '*', unpack(fields))
            end
            has_put = true
            redis.call('HSET', KEYS[2], 'logged', total)
            local ms, seq = string.match(id, '^(%d+)-(%d+)$')
            ms, seq = tonumber(ms), tonumber(seq)
            if meta[1] and (ms < tonumber(meta[1]) or (ms == tonumber(meta[1]) and seq < tonumber(meta[2]))) then
                redis.call('XDEL', KEYS[1], id)
                id = redis.call('XADD', KEYS[1], meta[1] .. '-' .. meta[2], unpack(fields))
            end
            if token ~= '' then
                redis.call('SADD', KEYS[3], token)
                local age = tonumber(millis) - tonumber(meta[3] or 0)
                if age >= TOKENS_MILLIS or redis.call('SCARD', KEYS[3]) >= MAX_TOKENS then
                    redis.call('UNLINK', KEYS[4])
                    redis.call('RENAME', KEYS[3], KEYS[4])
                    redis.call('HSET', KEYS[2], 'tokens_since', meta[3] or millis, 'tokens_at', millis)
                end
            end
            return id
        end
        LUA;
}
