<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\SlowCommand;

/**
 * @internal
 */
final readonly class SlowCommands implements RedisCheck
{
    /** From 10 ms on, other clients notice that they wait for a command. */
    private const MICROS = 10_000;

    public function examine(RedisServer $server, Facts $facts): Finding
    {
        $source = "SLOWLOG of {$server->place}";
        $calls = $server->slow();
        $slow = SlowCommand::byName($calls, self::MICROS);
        $keys = $server->has('cmdstat_keys') ? $server->shown('cmdstat_keys') : null;

        if ($slow === [] && $keys === null) {
            // The statistics contain at least the command that reads them.
            return $server->fields('cmdstat_') === [] ? throw FactUnavailable::because(
                "{$server->place} does not report which commands were called.",
                $server->cli('info commandstats'),
            ) : Finding::pass('no command was slow', new Evidence('slow commands', (string) count($calls), $source));
        }

        return Finding::warn(
            $slow === [] ? 'KEYS was called.' : 'Slow: '.implode(', ', array_keys($slow)).'.',
            [
                ...array_map(
                    static fn (string $name, string $seen): Evidence => new Evidence($name, $seen, $source),
                    array_keys($slow),
                    array_values($slow),
                ),
                $keys,
            ],
            new Fix(commands: array_map($server->cli(...), ['slowlog get 10', 'slowlog reset', 'config resetstat'])),
        )->observed();
    }
}
