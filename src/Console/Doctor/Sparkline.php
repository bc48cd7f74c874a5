<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

/**
 * Draws values over time as one line of block characters.
 *
 * @internal
 */
final readonly class Sparkline
{
    private const COLUMNS = 45;

    private const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

    /** @var list<?float> */
    private array $columns;

    private float $most;

    /**
     * @param list<array{float, ?float}> $points seconds and value
     * @param ?float $most value of a full block; null means the highest of the points
     * @param float $end seconds that the line covers, more than 0
     */
    public function __construct(array $points, ?float $most, private float $end)
    {
        /** @var list<list<float>> $cells */
        $cells = array_fill(0, self::COLUMNS, []);

        foreach ($points as [$at, $value]) {
            if ($value !== null && $at >= 0.0) {
                $cells[min(self::COLUMNS - 1, (int) ($at / $this->end * self::COLUMNS))][] = $value;
            }
        }

        $this->columns = self::joined(array_map(
            static fn (array $values): ?float => $values === [] ? null : array_sum($values) / count($values),
            $cells,
        ));
        $this->most = $most
            ?? max([0.0, ...array_filter($this->columns, static fn (?float $value): bool => $value !== null)]);
    }

    /**
     * Fills a column without a sample with the previous value.
     *
     * @param list<?float> $columns
     * @return list<?float>
     */
    private static function joined(array $columns): array
    {
        $last = null;
        $end = max([-1, ...array_keys(array_filter($columns, static fn (?float $value): bool => $value !== null))]);

        foreach ($columns as $index => $value) {
            $last = $value ?? $last;
            $columns[$index] = $index > $end ? null : $last;
        }

        return $columns;
    }

    public function text(): string
    {
        return implode(
            '',
            array_map(
                fn (?float $value): string => $value === null
                    ? ' '
                    : self::BLOCKS[(int) max(0, min(7, floor(7.999 * $value / max(0.001, $this->most))))],
                $this->columns,
            ),
        );
    }

    /** The value of a full block. */
    public function top(): string
    {
        return number_format($this->most, $this->most < 10 ? 1 : 0);
    }

    public function axis(): string
    {
        return '0 s'.str_pad(sprintf('%.0f s', $this->end), self::COLUMNS - 3, ' ', STR_PAD_LEFT);
    }
}
