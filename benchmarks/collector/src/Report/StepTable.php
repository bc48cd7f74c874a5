<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * All that is known of the steps of a scenario.
 */
final readonly class StepTable
{
    private const WHAT = ['requests/s', 'errors', 'p50', 'p95', 'p99'];

    /** @param array{x: list<Step>, a: list<Step>} $steps by stack */
    public static function of(array $steps): Table
    {
        $headings = [];

        foreach (ScenarioSection::STACKS as $stack) {
            $headings = [
                ...$headings, ...array_map(static fn (string $what): string => "{$stack}, {$what}", self::WHAT),
            ];
        }

        return new Table(['users', ...$headings], array_map(static fn (Step $one, int $n): array => [
            number_format($one->users),
            ...self::cells($steps['x'][$n] ?? null),
            ...self::cells($steps['a'][$n] ?? null),
        ], $steps['x'] ?: $steps['a'], array_keys($steps['x'] ?: $steps['a'])));
    }

    /** @return list<string|Cell> */
    private static function cells(?Step $step): array
    {
        return $step === null ? array_fill(0, count(self::WHAT), '–') : [
            number_format($step->answers, $step->answers < 100 ? 1 : 0),
            new Cell(number_format($step->errors), tone: $step->errors === 0 ? Tone::Plain : Tone::Alert),
            ...array_map(Unit::Millis->words(...), array_values($step->millis)),
        ];
    }
}
