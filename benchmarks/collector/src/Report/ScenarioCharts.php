<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Closure;
use Headroom\Report\Page\Band;
use Headroom\Report\Page\Line;
use Headroom\Report\Page\LineChart;
use Headroom\Report\Page\Mark;
use Headroom\Report\Page\Scale;
use Headroom\Report\Page\Unit;

/**
 * Requests/s and response time of both stacks over time. A stack has the same colour in all charts.
 */
final readonly class ScenarioCharts
{
    private const COLORS = ['x' => 0, 'a' => 1];

    private const MARKED = 'errors';

    /**
     * @param string $name of the scenario, as in ids
     * @param array{x: list<Step>, a: list<Step>} $steps by stack
     */
    public function __construct(private string $name, private array $steps) {}

    /** @return array{LineChart, LineChart} */
    public function charts(): array
    {
        return [$this->rates(), $this->times()];
    }

    private function rates(): LineChart
    {
        $lines = $this->lines('', static fn (Step $step): float => $step->answers);

        return new LineChart(
            "{$this->name}-requests-s",
            'Requests/s',
            'Answers a second, refusals left out. More is better.',
            Unit::Seconds,
            Unit::PerSecond,
            $lines,
            $this->bands(),
            'users',
            $this->marks($lines),
            self::MARKED,
        );
    }

    private function times(): LineChart
    {
        $p50 = $this->lines(', p50', static fn (Step $step): ?float => $step->millis['p50']);
        $p95 = $this->lines(', p95', static fn (Step $step): ?float => $step->millis['p95'], isDashed: true);
        $lines = [$p50[0], $p95[0], $p50[1], $p95[1]];
        $isLog = Scale::Fitting->isLog(
            array_merge(...array_map(static fn (Line $line): array => $line->values(), $lines)),
            $this->name,
        );
        $note = 'Half of the answers came within p50, 95 % within p95. Less is better.'
            .($isLog ? ' Logarithmic scale.' : '');

        return new LineChart(
            "{$this->name}-response-time",
            'Response time',
            $note,
            Unit::Seconds,
            Unit::Millis,
            $lines,
            $this->bands(),
            'users',
            $this->marks($p50),
            self::MARKED,
            Scale::Fitting,
        );
    }

    /**
     * @param Closure(Step): ?float $value
     * @return array{Line, Line} of stack X and stack A
     */
    private function lines(string $suffix, Closure $value, bool $isDashed = false): array
    {
        $line = fn (string $stack): Line => new Line(
            ScenarioSection::STACKS[$stack].$suffix,
            array_map(static fn (array $at): array => [$at[0], $value($at[1])], $this->placed($this->steps[$stack])),
            $isDashed,
            color: self::COLORS[$stack],
        );

        return [$line('x'), $line('a')];
    }

    /**
     * @param array{Line, Line} $lines that the crosses stand on
     * @return list<Mark>
     */
    private function marks(array $lines): array
    {
        $marks = [];

        foreach (['x', 'a'] as $n => $stack) {
            foreach ($this->placed($this->steps[$stack]) as $at => [$x, $step]) {
                $step->errors === 0
                    || $marks[] = new Mark(
                        $x,
                        ScenarioSection::STACKS[$stack].": {$step->failed()}",
                        $lines[$n]->values()[$at],
                    );
            }
        }

        return $marks;
    }

    /** @return list<Band> the steps, which are the same for both stacks */
    private function bands(): array
    {
        return array_map(
            static fn (array $at): Band
                => new Band($at[0] - $at[1]->seconds / 2, $at[0] + $at[1]->seconds / 2, number_format($at[1]->users)),
            $this->placed($this->steps['x'] ?: $this->steps['a']),
        );
    }

    /**
     * @param list<Step> $steps
     * @return list<array{float, Step}> each with the middle of its time
     */
    private function placed(array $steps): array
    {
        $start = 0.0;
        $placed = [];

        foreach ($steps as $step) {
            $placed[] = [$start + $step->seconds / 2, $step];
            $start += $step->seconds;
        }

        return $placed;
    }
}
