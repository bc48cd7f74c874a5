<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\Error;

/**
 * A line of nginx's error log: "2020/11/27 13:30:47 [error] 2371#2371: *114153 MESSAGE, client: ..., server: ...,
 * request: "...", upstream: "...", host: "..."" (src/core/ngx_log.c, ngx_http_log_error_handler()).
 *
 * @internal
 */
final readonly class NginxLine
{
    private const LEVELS = ['emerg' => true, 'alert' => true, 'crit' => true, 'error' => true, 'warn' => true, 'notice' => true, 'info' => true, 'debug' => true];

    /** Who asked for what follows from here on. */
    private const CONTEXT = ', client: ';

    /**
     * Of the request method and path: a query may hold anything, and makes each request another. Of the upstream what
     * comes before the path: "fastcgi://unix:/run/fpm.sock", "http://127.0.0.1:8080".
     */
    private const PARTS = '~\A, client: ([^,]*+)(?:, server: ([^,]*+))?(?:, request: "([^"? ]*+(?: [^"? ]*+)?)[^"]*+"?)?(?:, subrequest: "[^"]*+")?'
        .'(?:, upstream: "((?:[a-z]+://)?(?:unix:[^":]*+|[^"/]*+))[^"]*+"?)?(?:, host: "([^"]*+))?~';

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
        if (strlen($line) < 30 || $line[4] !== '/' || $line[7] !== '/' || $line[10] !== ' ' || $line[13] !== ':' || $line[16] !== ':' || $line[20] !== '[') {
            return null;
        }

        $end = strpos($line, '] ', 20);
        $start = $end === false ? false : strpos($line, ': ', $end);
        $level = $end === false ? '' : substr($line, 21, $end - 21);

        if ($start === false || ! isset(self::LEVELS[$level]) || ! ctype_digit($line[0].$line[5].$line[8].$line[11].$line[$end + 2])) {
            return null;
        }

        $start += 2;

        if (($line[$start] ?? '') === '*' && ($space = strpos($line, ' ', $start)) !== false) {
            $start = $space + 1;
        }

        $context = strpos($line, self::CONTEXT, $start);

        return self::with(
            strtr(substr($line, 0, 19), '/', '-'),
            $level,
            substr($line, $end + 2, $start - $end - 3),
            $context === false ? substr($line, $start) : substr($line, $start, $context - $start),
            $context === false ? '' : substr($line, $context),
        );
    }

    /** What the last line of a message of several lines says about who asked for what. */
    public static function contextOf(string $line): ?self
    {
        $context = strpos($line, self::CONTEXT);

        return $context === false ? null : self::with('', '', '', '', substr($line, $context));
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

    private static function with(string $time, string $level, string $origin, string $message, string $context): self
    {
        if ($context === '' || preg_match(self::PARTS, $context, $m, PREG_UNMATCHED_AS_NULL) !== 1) {
            return new self($time, $level, $origin, $message, null, null, null, null, null);
        }

        return new self($time, $level, $origin, $message, $m[1], $m[2], $m[3], $m[4], $m[5]);
    }
}
