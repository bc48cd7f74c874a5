<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Lines over time, or over another number: depth of a queue, responses per second, percentiles. This class gives the
 * data and the table of the numbers; resources/js/page/lines.js draws them.
 *
 * @internal
 */
final readonly class LineChart implements Chart
{
    /**
     * @param string $note how to read it, a sentence with its full stop; '' for none
     * @param Unit $x unit of the x axis; often Unit::Seconds
     * @param list<Line> $lines readers can tell at most eight apart
     * @param list<PlotBand> $bands pieces of the x axis with a label above them
     * @param string $bandUnit what a band's label counts, such as "users"
     * @param list<Marker> $marks crosses
     * @param string $markMeaning meaning of a cross
     * @throws InvalidPage
     */
    public function __construct(
        private string $id,
        private string $title,
        private string $note,
        private Unit $x,
        private Unit $y,
        private array $lines,
        private array $bands = [],
        private string $bandUnit = '',
        private array $marks = [],
        private string $markMeaning = 'with errors',
        private Scale $scale = Scale::Linear,
    ) {
        ChartParts::check($id, $title);
        $this->requireValidScale();
    }

    public function id(): string
    {
        return $this->id;
    }

    public function toArray(): array
    {
        return ChartParts::array('lines', $this, $this->title, $this->note, $this->summary(), $this->numbers(), [
            'x' => $this->x->value,
            'y' => $this->y->value,
            'lines' => array_map(static fn (Line $line): array => $line->toArray(), $this->lines),
            'bands' => array_map(static fn (PlotBand $band): array => $band->toArray(), $this->bands),
            'banded' => $this->bandUnit,
            'marks' => array_map(static fn (Marker $mark): array => $mark->toArray(), $this->marks),
            'marked' => $this->markMeaning,
            'log' => $this->isLog(),
        ]);
    }

    /** @throws InvalidPage */
    private function requireValidScale(): void
    {
        $this->isLog();
    }

    /** @throws InvalidPage if the scale is logarithmic and a value is negative */
    private function isLog(): bool
    {
        return $this->scale->isLog(
            array_merge(...array_map(static fn (Line $line): array => $line->values(), $this->lines)),
            "chart '{$this->id}'",
        );
    }

    /** @return list<string> */
    private function summary(): array
    {
        $summary = array_map(fn (Line $line): string => $line->summary($this->y), $this->lines);

        return $this->marks === [] ? $summary : [...$summary, count($this->marks)." {$this->markMeaning}"];
    }

    private function numbers(): Table
    {
        $hasBands = $this->bands !== [];
        $headings = [
            'at',
            ...($hasBands ? [$this->bandUnit] : []),
            ...array_map(static fn (Line $line): string => $line->name, $this->lines),
            ...($this->marks === [] ? [] : [$this->markMeaning]),
        ];
        $rows = [];

        foreach ($this->points() as [$x, $values]) {
            $rows[] = [
                $this->x->place($x),
                ...($hasBands ? [$this->band($x)] : []),
                ...array_map(
                    fn (int $line): string => array_key_exists($line, $values) ? $this->y->words($values[$line]) : '',
                    array_keys($this->lines),
                ),
                ...($this->marks === [] ? [] : [$this->marksAt($x)]),
            ];
        }

        return new Table($headings, $rows);
    }

    /** @return array<string, array{int|float, array<int, int|float|null>}> by x: the value of each line */
    private function points(): array
    {
        $points = [];

        foreach ($this->lines as $number => $line) {
            foreach ($line->points as [$x, $y]) {
                $points[self::key($x)] ??= [$x, []];
                $points[self::key($x)][1][$number] = $y;
            }
        }

        foreach ($this->marks as $mark) {
            $points[self::key($mark->x)] ??= [$mark->x, []];
        }

        uasort($points, static fn (array $a, array $b): int => $a[0] <=> $b[0]);

        return $points;
    }

    /** An array key would truncate a float. */
    private static function key(int|float $x): string
    {
        return json_encode((float) $x, JSON_THROW_ON_ERROR);
    }

    private function band(int|float $x): string
    {
        foreach ($this->bands as $band) {
            if ($x >= $band->from && $x <= $band->to) {
                return $band->label;
            }
        }

        return '';
    }

    private function marksAt(int|float $x): string
    {
        return implode(
            '; ',
            array_map(
                static fn (Marker $mark): string => $mark->text,
                array_filter($this->marks, static fn (Marker $mark): bool => (float) $mark->x === (float) $x),
            ),
        );
    }
}
