<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Headroom\Core\Clock;
use Headroom\Load\Target;

/**
 * The cookies of one virtual user.
 *
 * @internal
 */
final class CookieJar
{
    /** The limit that browsers have for a site. Beyond it, expired cookies are dropped, then the oldest. */
    private const MOST = 180;

    /** @var array<string, Cookie> by Cookie::key(), the oldest first */
    private array $cookies = [];

    public function __construct(private readonly Clock $clock) {}

    /** @param string $head of a response */
    public function take(string $head, Target $from): void
    {
        if (stripos($head, "\nset-cookie:") === false) {
            return;
        }

        preg_match_all('/^set-cookie:([^\r\n]*)/mi', $head, $lines);
        $now = $this->seconds();

        foreach ($lines[1] as $text) {
            $cookie = Cookie::parse($text, $from, $now);

            if ($cookie === null) {
                continue;
            }

            if ($cookie->isOver($now)) {
                unset($this->cookies[$cookie->key()]);
            } else {
                $this->cookies[$cookie->key()] = $cookie;
            }
        }

        if (count($this->cookies) > self::MOST) {
            $alive = array_filter($this->cookies, static fn (Cookie $cookie): bool => ! $cookie->isOver($now));
            $this->cookies = array_slice($alive, -self::MOST, null, true);
        }
    }

    /** @return string value of the Cookie header; empty when no cookie matches */
    public function header(Target $target): string
    {
        if ($this->cookies === []) {
            return '';
        }

        $now = $this->seconds();
        $cookies = array_filter(
            $this->cookies,
            static fn (Cookie $cookie): bool => ! $cookie->isOver($now) && $cookie->isFor($target),
        );
        // Longer paths first; among equals the oldest.
        usort($cookies, static fn (Cookie $a, Cookie $b): int => strlen($b->path) <=> strlen($a->path));

        return implode(
            '; ',
            array_map(static fn (Cookie $cookie): string => "{$cookie->name}={$cookie->value}", $cookies),
        );
    }

    public function clear(): void
    {
        $this->cookies = [];
    }

    private function seconds(): int
    {
        return intdiv($this->clock->micros(), 1_000_000);
    }
}
