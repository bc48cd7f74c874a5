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
     * @param string $time "2020-11-27 13:30:47"
     * @param string $origin process and connection, "2371#2371: *114153"
     * @param string $message without what follows in $context
     */
    private function __construct(public string $time, public string $level, private string $origin, public string $message, private string $context) {}

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

        return new self(
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

        return $context === false ? null : new self('', '', '', '', substr($line, $context));
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

    /** Method and path: a query may hold anything, and makes each request another. */
    public function uri(): ?string
    {
        $request = $this->quoted(', request: "', '", ');

        if ($request === null) {
            return null;
        }

        $query = strcspn($request, '?');
        $uri = substr($request, 0, $query);

        // Without a query the protocol follows.
        return $query < strlen($request) ? $uri : (($space = strrpos($uri, ' HTTP/')) === false ? $uri : substr($uri, 0, $space));
    }

    /** Without the path of the request: "fastcgi://unix:/run/php-fpm.sock", "http://127.0.0.1:8080". */
    public function upstream(): ?string
    {
        $upstream = $this->quoted(', upstream: "', '"');

        if ($upstream === null || ($scheme = strpos($upstream, '://')) === false) {
            return $upstream;
        }

        $isUnix = substr_compare($upstream, 'unix:', $scheme + 3, 5) === 0;
        $end = $isUnix ? strpos($upstream, ':', $scheme + 8) : strpos($upstream, '/', $scheme + 3);

        return $end === false ? $upstream : substr($upstream, 0, $end);
    }

    public function client(): ?string
    {
        return $this->plain(self::CONTEXT);
    }

    public function server(): ?string
    {
        return $this->plain(', server: ');
    }

    public function host(): ?string
    {
        return $this->quoted(', host: "', '"');
    }

    private function plain(string $name): ?string
    {
        $start = strpos($this->context, $name);

        if ($start === false) {
            return null;
        }

        $start += strlen($name);

        $length = strcspn($this->context, ',', $start);

        return $length === 0 ? null : substr($this->context, $start, $length);
    }

    private function quoted(string $name, string $close): ?string
    {
        $start = strpos($this->context, $name);

        if ($start === false) {
            return null;
        }

        $start += strlen($name);
        $end = strpos($this->context, $close, $start);

        return substr($this->context, $start, ($end === false ? strlen(rtrim($this->context, '"')) : $end) - $start);
    }
}
