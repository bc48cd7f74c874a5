<?php

declare(strict_types=1);

namespace Headroom\Load\Http;

use Headroom\Load\Target;

/**
 * @see https://www.rfc-editor.org/rfc/rfc6265#section-5
 *
 * @internal
 */
final readonly class Cookie
{
    private const MOST_BYTES = 4_096;

    /** @param ?int $expires Unix time in seconds; null when it has no end */
    private function __construct(
        public string $name,
        public string $value,
        private string $domain,
        private bool $isOfHostOnly,
        public string $path,
        private bool $isSecure,
        private ?int $expires,
    ) {}

    /**
     * @param string $text the value of a Set-Cookie header
     * @param int $now Unix time in seconds
     * @return ?self null when it is none, or not one that this server may set
     */
    public static function parse(string $text, Target $from, int $now): ?self
    {
        $parts = explode(';', $text);
        $pair = array_map(trim(...), explode('=', $parts[0], 2));

        if (count($pair) < 2 || $pair[0] === '' || strlen($parts[0]) > self::MOST_BYTES) {
            return null;
        }

        $attributes = [];

        foreach (array_slice($parts, 1) as $part) {
            [$key, $word] = array_map(trim(...), explode('=', $part, 2)) + [1 => ''];
            $attributes[strtolower($key)] = $word;
        }

        $host = strtolower($from->host);
        $domain = strtolower(ltrim($attributes['domain'] ?? '', '.'));
        $path = $attributes['path'] ?? '';
        $isSecure = isset($attributes['secure']);

        if (($domain !== '' && ! self::isBelow($host, $domain)) || ($isSecure && ! self::isSafe($from))) {
            return null;
        }

        return new self(
            $pair[0],
            $pair[1],
            $domain === '' ? $host : $domain,
            $domain === '',
            str_starts_with($path, '/') ? $path : self::directory($from),
            $isSecure,
            self::end($attributes, $now),
        );
    }

    /** What it shares with those that it replaces. */
    public function key(): string
    {
        return "{$this->domain};{$this->path};{$this->name}";
    }

    public function isOver(int $now): bool
    {
        return $this->expires !== null && $this->expires <= $now;
    }

    public function isFor(Target $target): bool
    {
        $host = strtolower($target->host);
        $path = self::path($target);

        return ($this->isOfHostOnly ? $host === $this->domain : self::isBelow($host, $this->domain))
            && ($path === $this->path || str_starts_with($path, rtrim($this->path, '/').'/'))
            && (! $this->isSecure || self::isSafe($target));
    }

    /** Whether it is this domain or one of those below it. Of a whole country or the like none is taken. */
    private static function isBelow(string $host, string $domain): bool
    {
        return $host === $domain
            || (str_contains($domain, '.') && str_ends_with($host, ".{$domain}") && filter_var($host, FILTER_VALIDATE_IP) === false);
    }

    /** Browsers take this machine for safe without TLS too. */
    private static function isSafe(Target $target): bool
    {
        return $target->isTls || $target->isLoopback();
    }

    private static function path(Target $target): string
    {
        return explode('?', $target->path, 2)[0];
    }

    private static function directory(Target $target): string
    {
        $path = self::path($target);

        return substr($path, 0, max(1, (int) strrpos($path, '/')));
    }

    /** @param array<string, string> $attributes by name */
    private static function end(array $attributes, int $now): ?int
    {
        $age = $attributes['max-age'] ?? '';

        if (preg_match('/\A-?\d{1,12}\z/', $age) === 1) {
            return $now + (int) $age;
        }

        $time = isset($attributes['expires']) ? strtotime($attributes['expires']) : false;

        return $time === false ? null : $time;
    }
}
