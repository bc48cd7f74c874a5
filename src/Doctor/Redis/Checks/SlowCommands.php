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
        $slow = $server->slow();
        $worst = self::worst($slow);
        $evidence = [
            ...array_map(
                static fn (string $name, int $micros): Evidence => self::seen($server, $slow, $name, $micros),
                array_keys($worst),
                $worst,
            ),
            ...($server->has('cmdstat_keys') ? [$server->shown('cmdstat_keys')] : []),
        ];

        if ($evidence === []) {
            // The statistics contain at least the command that reads them.
            return $server->fields('cmdstat_') === [] ? throw FactUnavailable::because(
                "{$server->place} does not report which commands were called.",
                $server->cli('info commandstats'),
            ) : Finding::pass(
                'no command was slow',
                new Evidence('slow commands', (string) count($slow), "SLOWLOG of {$server->place}"),
            );
        }

        return Finding::warn(
            $worst === [] ? 'KEYS was called.' : 'Slow: '.implode(', ', array_keys($worst)).'.',
            $evidence,
            'While a slow command runs, each request that needs Redis waits.',
            new Fix(
                'Find the code that calls it. Use SCAN instead of KEYS, read large hashes and sets in parts (HSCAN,'
                    .' SSCAN), or keep them smaller.',
                commands: [
                    $server->cli('slowlog get 10'), $server->cli('slowlog reset'), $server->cli('config resetstat'),
                ],
            ),
        )->observed();
    }

    /**
     * @param list<SlowCommand> $slow
     * @return array<string, int> microseconds of the slowest call, by command, the slowest first
     */
    private static function worst(array $slow): array
    {
        $worst = [];

        foreach ($slow as $command) {
            if ($command->micros >= self::MICROS) {
                $name = strtoupper($command->name);
                $worst[$name] = max($worst[$name] ?? 0, $command->micros);
            }
        }

        arsort($worst);

        return $worst;
    }

    /** @param list<SlowCommand> $slow */
    private static function seen(RedisServer $server, array $slow, string $name, int $micros): Evidence
    {
        $times = count(array_filter($slow, static fn (SlowCommand $one): bool => strtoupper($one->name) === $name));

        return new Evidence(
            $name,
            sprintf('%.0f ms at worst, %d among the last', $micros / 1000, $times),
            "SLOWLOG of {$server->place}",
        );
    }
}
