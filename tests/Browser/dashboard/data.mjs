// What the dashboard's server says in the tests: an application with four buckets, of which two have problems.

const FIX = 'Read the failure with `php artisan spool:status`, then run `php artisan spool:flush api-events`.';

export const bucket = (name, more = {}) => ({
    bucket: name,
    sink: 'database',
    store: 'file',
    state: 'ok',
    accepted: 1_204_311,
    delivered: 1_203_966,
    dead: 0,
    dropped: 0,
    pending: 345,
    missing: 0,
    letters: 0,
    oldest_seconds: 1.27,
    in_per_second: 41.5,
    out_per_second: 40.9,
    flushed_seconds: 0.957,
    used_bytes: 819_200,
    max_bytes: 1_073_741_824,
    durability: 'process',
    paused: null,
    problems: [],
    ...more,
});

export const buckets = () => [
    bucket('activity'),
    bucket('api-events', {
        state: 'failing', pending: 48_211, oldest_seconds: 754, letters: 37, dead: 41, out_per_second: 0,
        problems: [{ message: 'The last flush failed: SQLSTATE[HY000] [2002] Connection refused. The next attempt is in 40 s.', fix: FIX, severity: 'error' }],
    }),
    bucket('mails', {
        sink: 'http', store: 'redis', state: 'paused', pending: 12, accepted: 8_112, delivered: 8_100, oldest_seconds: 5_410, in_per_second: 0.02, out_per_second: 0,
        paused: { since: '2026-11-28T12:00:00+00:00', by: 'deploy (uid 1000)' },
        problems: [{ message: 'Paused since 2026-11-28 12:00:00 UTC by deploy (uid 1000).', fix: 'Run `php artisan spool:resume mails`.', severity: 'note' }],
    }),
    bucket('page-views', { sink: 'clickhouse', accepted: 91_334_120, delivered: 91_331_007, pending: 3_113, dropped: 0, in_per_second: 1_412, out_per_second: 1_409 }),
];

export const alerts = () => [
    { cause: 'nothing_delivers', title: 'Nothing delivers', subject: 'api-events', message: 'The oldest of 48,211 events waits for 12 min 34 s, and no flush has delivered since.', fix: FIX, bucket: 'api-events' },
    { cause: 'dead_letters', title: 'Dead letters', subject: 'api-events', message: '37 events were refused by the database and wait as dead letters.', fix: 'Read them with `php artisan spool:failed api-events`.', bucket: 'api-events' },
];

export const nodes = () => ['web-1', 'web-2', 'web-3'].map((host, at) => ({
    node: `5f0c7a5d9f0e4a3bb1c2d3e4f5a6b7c${at}`,
    host,
    pid: 411 + at,
    path: '/srv/shop/storage/app/private/buffer',
    seen_seconds: at === 2 ? 912 : 12 + at,
    silent: at === 2,
    pending: [51_681, 120, 4_410][at],
    oldest_seconds: [754, 1, 1_400][at],
    dead: [41, 0, 0][at],
    dropped: 0,
    troubled: at === 0 ? 1 : 0,
    buckets: at === 0 ? { activity: { trouble: null }, 'api-events': { trouble: 'Connection refused' } } : {},
    this: at === 0,
}));

/** Minutes of a bucket, with a swing of a day and a gap. */
export function minutes(from, to, step, seed) {
    const at = Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step);
    const wave = (minute, swing) => 1 + swing * Math.sin((minute / 1_440) * 2 * Math.PI + seed) + 0.15 * Math.sin(minute * 0.9 + seed) + 0.08 * Math.cos(minute * 2.3);
    const of = (value) => at.map((minute, index) => (index === 9 ? null : value(minute, index)));
    const size = [2_450, 2_480, 2, 84_600][seed % 4];
    const waits = [340, 300, 12, 3_100][seed % 4];
    const grows = seed === 1 ? 1 : 0;

    return {
        accepted: of((minute) => Math.round(step * size * wave(minute, 0.4))),
        delivered: of((minute, index) => (grows && index > 40 ? 0 : Math.round(step * size * wave(minute - 1, 0.4)))),
        dead: of((minute, index) => (index === 30 ? 37 : 0)),
        dropped: of(() => 0),
        pending: of((minute, index) => Math.round(waits * wave(minute, 0.2) + (index > 40 ? (index - 40) * 2_480 * grows : 0))),
        oldest_seconds: of((minute, index) => 2 + (index > 40 ? (index - 40) * 39 * grows : wave(minute, 0.5))),
        flushes: of(() => 4 * step),
        failed: of((minute, index) => (grows && index > 40 ? 2 : 0)),
        batches: of(() => 4 * step),
        batch_size: of((minute) => Math.round(500 * wave(minute, 0.3))),
        largest_batch: of((minute) => Math.round(800 * wave(minute, 0.3))),
        delivery_ms: of((minute) => 18 * wave(minute, 0.3)),
        slowest_ms: of((minute) => 60 * wave(minute * 3, 0.3)),
        used_bytes: of((minute) => Math.round(800_000 * wave(minute, 0.2))),
    };
}

export const settings = () => [
    { name: 'sink', value: 'database', is_default: false },
    { name: 'connection', value: 'mysql', is_default: false },
    { name: 'table', value: 'api_events', is_default: false },
    { name: 'batch', value: '1000', is_default: true },
    { name: 'durability', value: 'process', is_default: true },
    { name: 'max_bytes', value: '1 GiB', is_default: false },
    { name: 'overflow', value: 'throw', is_default: true },
    { name: 'rate', value: 'none', is_default: true },
];

export const failures = (at) => [
    { at: at - 20, message: 'SQLSTATE[HY000] [2002] Connection refused', times: 44 },
    { at: at - 86_000, message: "SQLSTATE[42S22]: Column not found: 1054 Unknown column 'plan' in 'field list'", times: 1 },
];

export const KINDS = [
    { kind: '1f6a', reason: "SQLSTATE[22001]: Data too long for column 'path' at row 1", letters: 30 },
    { kind: '9bc2', reason: "SQLSTATE[23000]: Column 'user_id' cannot be null", letters: 7 },
];

export function letters(at) {
    return Array.from({ length: 37 }, (_, n) => {
        const kind = KINDS[n < 30 ? 0 : 1];

        return {
            id: `0000000000000000000${n % 10}-${String(n).padStart(8, '0')}-00000`,
            event_id: `5f0c7a5d9f0e4a3bb1c2d3e4f5a6b7c8/api-events/${n}`,
            accepted_at: new Date((at - 4_000 - n * 60) * 1000).toISOString(),
            died_at: new Date((at - 3_000 - n * 60) * 1000).toISOString(),
            sink: 'database',
            reason: kind.reason,
            kind: kind.kind,
            event: { user_id: n, path: `/api/orders/${n}/lines`, method: 'GET', status: 200, password: '[redacted]' },
            corrupt: false,
        };
    });
}

export const events = (at) => Array.from({ length: 14 }, (_, n) => ({
    place: `00000000000000000007-0000000000000000${1000 + n}-00000`,
    id: n < 10 ? `5f0c7a5d9f0e4a3bb1c2d3e4f5a6b7c8/api-events/${n}` : null,
    state: n < 10 ? 'sealed' : 'active',
    accepted_at: new Date((at - 754 + n * 40) * 1000).toISOString(),
    age_seconds: 754 - n * 40,
    values: { user_id: n, event: 'api_call', path: `/api/orders/${n}`, token: '[redacted]', took_ms: 12.5 },
    error: n === 6 ? 'The frame has another checksum.' : null,
}));

export const machine = (ticks) => ({
    collectors: [{
        bucket: 'page-views', listen: '0.0.0.0:8080', workers: 4, connections: 212, accepted_total: 91_334_120 + ticks * 7_000, rejected_total: 1_204 + ticks * 10,
        requests_total: 4_566_706 + ticks * 350, memory_bytes: 141_000_000, started_at: 1_790_000_000,
    }],
    queues: [
        { connection: 'redis', queue: 'default', pending: 12, delayed: 3, reserved: 2, failed: 4, error: null },
        { connection: 'redis', queue: 'mails', pending: 0, delayed: 0, reserved: 0, failed: 0, error: null },
        { connection: 'sqs', queue: 'exports', pending: null, delayed: null, reserved: null, failed: null, error: 'cURL error 28: Operation timed out' },
    ],
    doctor: { state: 'done', started_at: 1_795_850_000, finished_at: 1_795_850_004, detail: null, report: report() },
});

export const report = () => ({
    counts: { pass: 61, warn: 1, fail: 1, unknown: 1, skipped: 4, crashed: 0 },
    findings: [
        {
            id: 'L13', title: 'Every request writes debug messages to a file', severity: 'medium', layer: 'laravel', status: 'warn', subject: 'channel single',
            message: "The channel 'single' logs everything from debug on.",
            evidence: [{ what: 'logging.default', value: "'single'", source: 'config/logging.php' }, { what: 'logging.channels.single.level', value: "'debug'", source: 'config/logging.php' }],
            confidence: 'configured', consequence: 'Requests wait for the disk to write a log that is not read.',
            fix: { text: 'Set LOG_LEVEL to warning.', edits: [{ file: '/var/www/shop/.env', line: 30, old: 'LOG_LEVEL=debug', new: 'LOG_LEVEL=warning' }], commands: [], rollback: 'Restore the lines above.', verify: 'php artisan headroom:doctor --only=L13' },
            minutes: 2, sources: ['https://laravel.com/docs/logging#log-levels'],
        },
        {
            id: 'N5', title: 'Idle connections of nginx hold the processes of PHP-FPM', severity: 'critical', layer: 'nginx', status: 'fail', subject: 'pool www',
            message: 'nginx may keep 4 x 8 = 32 connections to a pool of 24 processes, and each holds a process.',
            evidence: [{ what: 'keepalive of upstream php', value: '8', source: '/etc/nginx/conf.d/shop.conf:3' }],
            confidence: 'configured', consequence: 'Requests wait for a free process although all of them are idle, then fail with 502 or 504.',
            fix: { text: 'Do not keep connections to PHP-FPM.', edits: [{ file: '/etc/nginx/conf.d/shop.conf', line: 3, old: '    keepalive 8;', new: null }], commands: ['nginx -t && systemctl reload nginx'], rollback: 'Restore the lines above, then run the same commands.', verify: 'php artisan headroom:doctor --only=N5' },
            minutes: 1, sources: ['https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive'],
        },
        { id: 'K2', title: 'The queue of the socket', severity: 'low', layer: 'kernel', status: 'unknown', subject: '', message: 'The socket of the pool cannot be read.', evidence: [], confidence: 'unknown', consequence: '', fix: null, minutes: 0, sources: [] },
    ],
    looked_for: [
        { what: 'nginx', status: 'found', where: '/etc/nginx', why: '', more: [] },
        { what: 'redis', status: 'not here', where: 'the processes that this user sees in /proc', why: 'no Redis runs here', more: ['sudo php artisan headroom:doctor'] },
    ],
});
