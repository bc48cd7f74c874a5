<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;

/**
 * max_execution_time of requests that come by one place of nginx. On Linux it counts the time that a script computes:
 * one that waits for a database or for another host uses none of it.
 *
 * @internal
 */
final readonly class ScriptTimeLimit
{
    private const NAME = 'max_execution_time';

    private function __construct(public int $seconds, public Evidence $evidence) {}

    /**
     * PHP_ADMIN_VALUE of nginx holds before php_admin_value of the pool, that before PHP_VALUE, and all before php.ini.
     *
     * @throws FactUnavailable
     */
    public static function of(FpmPool $pool, FastcgiPass $pass): self
    {
        $isLocked = $pool->settings->setting('php_admin_value['.self::NAME.']') !== null;
        $sent = $pass->php(self::NAME, true) ?? ($isLocked ? null : $pass->php(self::NAME, false));
        $ini = $sent === null ? $pool->runtime()->ini(self::NAME) : null;
        [$value, $source] = match (true) {
            $sent !== null => [$sent[0], "{$sent[1]->argument(0)}, {$sent[1]->where()}"],
            $ini !== null => [$ini->value, $ini->origin],
            default => ['', ''],
        };

        // PHP takes the number that the text begins with, and 0 where it begins with none.
        return str_contains($value, '$') || ($sent === null && $ini === null)
            ? throw FactUnavailable::because(
                self::NAME." of the pool {$pool->name()} is not known: "
                    .($source === '' ? 'it tells none' : $source).'.',
                'sudo nginx -T | grep PHP_',
            )
            : new self((int) $value, new Evidence(self::NAME, $value, $source));
    }

    /** What PHP does. */
    public function words(): string
    {
        return $this->seconds <= 0
            ? 'never ends a script'
            : "ends a script after {$this->seconds} seconds of CPU time, and never one that waits";
    }

    /** @param int $milliseconds that nginx waits */
    public function outlasts(int $milliseconds): bool
    {
        return $this->seconds <= 0 || 1000 * $this->seconds > $milliseconds;
    }
}
