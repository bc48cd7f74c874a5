<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

/**
 * An entry of SLOWLOG without its arguments, which are keys and values of users.
 *
 * @internal
 */
final readonly class SlowCommand
{
    public function __construct(public string $name, public int $micros) {}

    /**
     * @param list<self> $commands
     * @return array<string, string> what was seen of each that took so many microseconds, by name, the slowest first
     */
    public static function byName(array $commands, int $least): array
    {
        $calls = [];

        foreach ($commands as $command) {
            $calls[strtoupper($command->name)][] = $command->micros;
        }

        $slow = array_filter($calls, static fn (array $micros): bool => max($micros) >= $least);
        uasort($slow, static fn (array $a, array $b): int => max($b) <=> max($a));

        return array_map(static fn (array $micros): string => sprintf(
            '%.0f ms at worst, %d among the last',
            max($micros) / 1000,
            count($micros),
        ), $slow);
    }
}
