<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Headroom\Tests\Acceptance\Doctor\RedisChecksTest;

/**
 * All that is planted. The tests of a layer plant their rows one by one, in the servers of that layer;
 * `make planted-faults` plants all of them in a whole stack.
 */
final readonly class Catalogue
{
    /** Other checks that also find something in a whole stack, by the name of the planted fault. */
    private const ALSO = [
        // So many processes may open more connections than an SQL server or Redis takes.
        'F1 more than there is memory for' => ['D1', 'R3'],
        // A Redis that writes to its disk forks, and what forks want of the kernel is the machine's.
        'always on disk' => ['S9'],
    ];

    /** @return list<Planting> deadlocks last: the server counts them for as long as it runs */
    public static function faults(): array
    {
        return [
            ...self::ofTheWeb(WebFaults::faults()),
            ...self::ofRedis(RedisChecksTest::faults()),
            ...ApplicationFaults::faults(),
            ...WorkingFaults::faults(),
            ...PreloadFaults::faults(),
            ...DatabaseFaults::faults(),
        ];
    }

    /** @return list<Planting> */
    public static function nearMisses(): array
    {
        $web = (static function (): iterable {
            foreach (WebFaults::nearMisses() as $name => [$nginx, $fpm]) {
                yield $name => ['', $nginx, $fpm];
            }
        })();
        $redis = (static function (): iterable {
            foreach (RedisChecksTest::nearMisses() as $name => [$options, $commands]) {
                yield $name => ['', $options, $commands];
            }
        })();

        return [
            ...self::ofTheWeb($web),
            ...self::ofRedis($redis),
            ...ApplicationFaults::nearMisses(),
            ...PreloadFaults::nearMisses(),
            ...DatabaseFaults::nearMisses(),
        ];
    }

    /**
     * @param iterable<string, array{string, array<string, string>, array<string, string>}> $rows
     * @return list<Planting>
     */
    private static function ofTheWeb(iterable $rows): array
    {
        $plantings = [];

        foreach ($rows as $name => [$rule, $nginx, $fpm]) {
            $plantings[] = new Planting($name, $rule, nginx: $nginx, fpm: $fpm, also: self::ALSO[$name] ?? []);
        }

        return $plantings;
    }

    /**
     * @param iterable<string, array{string, array<string, string|int>, list<list<string|int>>}> $rows
     * @return list<Planting>
     */
    private static function ofRedis(iterable $rows): array
    {
        $plantings = [];

        foreach ($rows as $name => [$rule, $options, $commands]) {
            $plantings[] = new Planting(
                $name,
                $rule,
                redis: $options,
                commands: $commands,
                also: self::ALSO[$name] ?? [],
            );
        }

        return $plantings;
    }
}
