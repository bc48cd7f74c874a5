<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/**
 * Breaks lines of code that are too wide: of all sets of breaks, the one that costs least. A new line costs one; breaks
 * that a reader stumbles over cost more.
 *
 * @internal
 */
final class LineBreaker
{
    public const WIDTH = 120;

    private const WIDE = 100.0;

    /** So many attempts for one line; then the best so far is taken. */
    private const ATTEMPTS = 2_000;

    private int $attempts = 0;

    /** @var array<int, list<Group>> by each token that they may break before */
    private array $byBreak = [];

    /** @param list<Group> $groups */
    public function __construct(private readonly BreakRules $rules, array $groups)
    {
        foreach ($groups as $group) {
            foreach ($group->breaks as $break) {
                $this->byBreak[$break][] = $group;
            }
        }
    }

    public function breakAll(Layout $layout, int $tokens): Layout
    {
        for ($start = 0; $start < $tokens; $start = $layout->lineEnd($start) + 1) {
            if (
                $layout->width($start) > self::WIDTH
                && ! $layout->beginsInside($start)
                && ! $layout->isPinned($start)
            ) {
                $this->attempts = 0;
                [$layout] = $this->solve($layout, $start, PHP_FLOAT_MAX);
            }
        }

        return $layout;
    }

    /** @return array{Layout, float} the line with its breaks, and what they cost */
    private function solve(Layout $layout, int $start, float $limit): array
    {
        $width = $layout->width($start);

        if ($width <= self::WIDTH || $layout->beginsInside($start)) {
            return [$layout, 0.0];
        }

        $best = $layout;
        $least = min($limit, self::WIDE + 0.1 * ($width - self::WIDTH));
        $end = $layout->lineEnd($start);

        foreach ($this->breaks($layout, $start, $end) as $break) {
            if (++$this->attempts > self::ATTEMPTS) {
                break;
            }

            [$broken, $cost] = $break->applyTo($layout);

            for ($line = $start; $line <= $end && $cost < $least; $line = $broken->lineEnd($line) + 1) {
                [$broken, $more] = $this->solve($broken, $line, $least - $cost);
                $cost += $more;
            }

            if ($cost < $least && ($cost < self::WIDE || $break->helpsWideLines())) {
                [$best, $least] = [$broken, $cost];
            }
        }

        return [$best, $least];
    }

    /** @return list<LineBreak> outer groups first */
    private function breaks(Layout $layout, int $start, int $end): array
    {
        $groups = [];

        for ($i = $start + 1; $i <= $end; $i++) {
            foreach ($layout->startsLine($i) ? [] : $this->byBreak[$i] ?? [] as $group) {
                $groups[spl_object_id($group)] = $group;
            }
        }

        $breaks = [];

        foreach ($groups as $group) {
            array_push($breaks, ...$this->rules->breaks($layout, $group, $start, $end));
        }

        return $breaks;
    }
}
