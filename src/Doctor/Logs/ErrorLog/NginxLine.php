<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

/**
 * A line of nginx's error log: "2020/11/27 13:30:47 [error] 2371#2371: *114153 MESSAGE, client: ..., server: ...,
 * request: "...", upstream: "...", host: "..."" (src/core/ngx_log.c, ngx_http_log_error_handler()).
 *
 * @internal
 */
final readonly class NginxLine
{
    /**
     * The client and its request. Of the request method and path: a query may hold anything, and makes each request
     * another. Of the upstream what comes before the path: "fastcgi://unix:/run/fpm.sock", "http://127.0.0.1:8080".
     */
    private const CONTEXT = ', client: ([^,]*+)(?:, server: ([^,]*+))?(?:, request: "([^"? ]*+(?:'
        .' [^"? ]*+)?)[^"]*+"?)?(?:, subrequest: "[^"]*+")?'
        .'(?:, upstream: "((?:[a-z]+://)?(?:unix:[^":]*+|[^"/]*+))[^"]*+"?)?(?:, host: "([^"]*+))?.*+';

    private const LINE = '~\A(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) \[(emerg|alert|crit|error|warn|notice|info|debug)\]'
        .' (\d++#\d++: (?:\*\d++ )?)'
        .'([^,]*+(?:,(?! client: )[^,]*+)*+)(?:'.self::CONTEXT.')?\z~s';

    /**
     * @param string $time "2020-11-27 13:30:47"
     * @param string $origin process and connection, "2371#2371: *114153"
     * @param string $message without who asked for what
     * @param ?string $uri "GET /videos"
     */
    private function __construct(
        public string $time,
        public string $level,
        private string $origin,
        public string $message,
        public ?string $client,
        public ?string $server,
        public ?string $uri,
        public ?string $upstream,
        public ?string $host,
    ) {}

    public static function parse(string $line): ?self
    {
        return preg_match(self::LINE, $line, $m, PREG_UNMATCHED_AS_NULL) === 1
            ? new self(strtr($m[1], '/', '-'), $m[2], $m[3], $m[4], $m[5], $m[6], $m[7], $m[8], $m[9])
            : null;
    }

    /** What the last line of a message of several lines says about who asked for what. */
    public static function contextOf(string $line): ?self
    {
        return preg_match('~'.self::CONTEXT.'\z~s', $line, $m, PREG_UNMATCHED_AS_NULL) === 1
            ? new self('', '', '', '', $m[1], $m[2], $m[3], $m[4], $m[5])
            : null;
    }

    public function pid(): int
    {
        return (int) $this->origin;
    }

    /** 0 where the line is about none. */
    public function connection(): int
    {
        $star = strpos($this->origin, '*');

        return $star === false ? 0 : (int) substr($this->origin, $star + 1);
    }
}
