<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Report;

use Headroom\Bench\Queues\Results\Findings;

/**
 * The servers' own reports, for a terminal. Without them, figures of different durability look alike.
 *
 * @internal
 */
final readonly class DriverLines
{
    private const WIDTH = 80;

    /** @param array<array-key, Findings> $findings of each scenario */
    public function __construct(private array $findings) {}

    /** @return list<string> */
    public function lines(): array
    {
        $lines = [];

        foreach ($this->findings as $findings) {
            foreach ($findings->all as $finding) {
                $facts = $finding->variant->facts;
                $settings = implode(
                    ', ',
                    array_map(
                        static fn (string $key, string $value): string => "{$key} = {$value}",
                        array_keys($facts->settings),
                        $facts->settings,
                    ),
                );
                $parts = array_filter(
                    [$facts->software, $facts->durability->words(), $settings, ...$facts->notes],
                    static fn (string $part): bool => $part !== '',
                );
                $lines[$finding->variant->driver()] ??= explode(
                    "\n",
                    wordwrap("{$finding->variant->driver()}: ".implode('; ', $parts), self::WIDTH, "\n  "),
                );
            }
        }

        return array_merge(...array_values($lines));
    }
}
