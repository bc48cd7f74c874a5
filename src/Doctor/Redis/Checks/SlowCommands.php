<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\SlowCommand;

/**
 * @internal
 */
final readonly class SlowCommands implements Check
{
    /** From which on a command is one that everybody waits for. */
    private const MICROS = 10_000;

    public function examine(Facts $facts): iterable
    {
        return $facts->get(RedisServers::class)->each(self::finding(...));
    }

    /** @throws FactUnavailable */
    private static function finding(RedisServer $server): Finding
    {
        $worst = [];
        $slow = $server->slow();

        foreach ($slow as $command) {
            if ($command->micros >= self::MICROS) {
                $worst[$command->name] = max($worst[$command->name] ?? 0, $command->micros);
            }
        }

        arsort($worst);
        $evidence = [];

        foreach ($worst as $name => $micros) {
            $times = count(array_filter($slow, static fn (SlowCommand $command): bool => $command->name === $name));
            $seen = sprintf('%.0f ms at worst, %d among the last', $micros / 1000, $times);
            $evidence[] = new Evidence(strtoupper($name), $seen, "SLOWLOG of {$server->place}");
        }

        if ($server->has('cmdstat_keys')) {
            $evidence[] = $server->shown('cmdstat_keys');
        }

        if ($evidence === []) {
            // It counts at least the command that it was asked by.
            return $server->fields('cmdstat_') === [] ? throw FactUnavailable::because(
                "{$server->place} does not tell which commands were called.",
                $server->cli('info commandstats'),
            ) : Finding::pass(
                'no command was slow',
                new Evidence('slow commands', (string) count($slow), "SLOWLOG of {$server->place}"),
            );
        }

        $names = array_map(strtoupper(...), array_keys($worst));

        return Finding::warn(
            $names === [] ? 'KEYS was called.' : 'Slow: '.implode(', ', $names).'.',
            $evidence,
            'While one runs, every other request waits that needs Redis.',
            new Fix(
                'Look for who calls it: KEYS is SCAN where it must be, large hashes and sets are read in parts (HSCAN,'
                    .' SSCAN) or kept smaller.',
                [],
                [$server->cli('slowlog get 10'), $server->cli('slowlog reset'), $server->cli('config resetstat')],
                'Nothing was changed.',
                $server->cli('slowlog reset'),
            ),
        )->restingOn(Confidence::Observed);
    }
}
