<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Headroom\Load\Target;

/**
 * @see https://www.rfc-editor.org/rfc/rfc6265#section-5
 *
 * @internal
 */
final readonly class Cookie
{
    private const MOST_BYTES = 4_096;

    /** For a server that means forever. */
    private const LONGEST_SECONDS = 1_000_000_000_000;

    /** A tab is allowed. */
    private const CONTROL = '/[\x00-\x08\x0a-\x1f\x7f]/';

    /** @param ?int $expires Unix time in seconds; null for a session cookie */
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
     * @return ?self null when it is invalid, or when this server may not set it
     */
    public static function parse(string $text, Target $from, int $now): ?self
    {
        $parts = explode(';', $text);
        $pair = array_map(trim(...), explode('=', $parts[0], 2));

        if (
            count($pair) < 2
            || $pair[0] === ''
            || strlen($parts[0]) > self::MOST_BYTES
            || preg_match(self::CONTROL, $text) === 1
        ) {
            return null;
        }

        $expires = $age = null;
        $domain = $path = '';
        $isSecure = false;

        // The last attribute of a kind wins, unless it is empty.
        foreach (array_slice($parts, 1) as $part) {
            [$key, $word] = array_map(trim(...), explode('=', $part, 2)) + [1 => ''];

            match (strtolower($key)) {
                'domain' => $domain = $word === '' ? $domain : strtolower(ltrim($word, '.')),
                'expires' => $expires = CookieDate::parse($word) ?? $expires,
                'max-age' => $age = self::age($word) ?? $age,
                'path' => $path = $word,
                'secure' => $isSecure = true,
                default => null,
            };
        }

        $host = strtolower($from->host);

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
            $age === null ? $expires : $now + $age,
        );
    }

    /** A cookie replaces the one with the same key. */
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
            && ($path === $this->path
                || str_starts_with($path, str_ends_with($this->path, '/') ? $this->path : "{$this->path}/"))
            && (! $this->isSecure || self::isSafe($target));
    }

    /**
     * Whether the host is this domain or a subdomain of it. A top-level domain is refused; longer public suffixes, such
     * as co.uk, are not known.
     */
    private static function isBelow(string $host, string $domain): bool
    {
        return $host === $domain
            || (str_contains($domain, '.')
                && str_ends_with($host, ".{$domain}")
                && filter_var($host, FILTER_VALIDATE_IP) === false);
    }

    /** Browsers treat loopback as secure, without TLS too. */
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

    /** @return ?int seconds from now; null when it is no number */
    private static function age(string $text): ?int
    {
        if (preg_match('/\A-?\d+\z/', $text) !== 1) {
            return null;
        }

        // The number may be beyond an integer.
        return (int) max(-self::LONGEST_SECONDS, min((float) $text, self::LONGEST_SECONDS));
    }
}
