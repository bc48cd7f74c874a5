<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Lines over time, or over anything else that is a number: depth of a queue, answers a second, percentiles.
 *
 * @internal
 */
final readonly class LineChart implements Chart
{
    /**
     * @param string $note how to read it, a sentence with its full stop; '' for none
     * @param Unit $x of the x axis; often Unit::Seconds
     * @param list<Line> $lines eight at most can be told apart
     * @param list<Band> $bands pieces of the x axis with a label above them
     * @param string $banded what their labels count, such as "users"
     * @param list<Mark> $marks crosses
     * @param string $marked what the crosses are
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
        private string $banded = '',
        private array $marks = [],
        private string $marked = 'with errors',
        private Scale $scale = Scale::Linear,
    ) {
        Figure::check($id, $title);
        $this->isLog();
    }

    public function id(): string
    {
        return $this->id;
    }

    public function toArray(): array
    {
        return Figure::array('lines', $this, $this->title, $this->note, $this->essence(), $this->numbers(), [
            'x' => $this->x->value,
            'y' => $this->y->value,
            'lines' => array_map(static fn (Line $line): array => $line->toArray(), $this->lines),
            'bands' => array_map(static fn (Band $band): array => $band->toArray(), $this->bands),
            'banded' => $this->banded,
            'marks' => array_map(static fn (Mark $mark): array => $mark->toArray(), $this->marks),
            'marked' => $this->marked,
            'log' => $this->isLog(),
        ]);
    }

    private function isLog(): bool
    {
        return $this->scale->isLog(
            array_merge(...array_map(static fn (Line $line): array => $line->values(), $this->lines)),
            "chart '{$this->id}'",
        );
    }

    /** @return list<string> */
    private function essence(): array
    {
        $essence = array_map(fn (Line $line): string => $line->essence($this->y), $this->lines);

        return $this->marks === [] ? $essence : [...$essence, count($this->marks)." {$this->marked}"];
    }

    private function numbers(): Table
    {
        $hasBands = $this->bands !== [];
        $headings = [
            'at',
            ...($hasBands ? [$this->banded] : []),
            ...array_map(static fn (Line $line): string => $line->name, $this->lines),
            ...($this->marks === [] ? [] : [$this->marked]),
        ];
        $rows = [];

        foreach ($this->places() as [$place, $values]) {
            $rows[] = [
                $this->x->place($place),
                ...($hasBands ? [$this->band($place)] : []),
                ...array_map(
                    fn (int $line): string => array_key_exists($line, $values) ? $this->y->words($values[$line]) : '',
                    array_keys($this->lines),
                ),
                ...($this->marks === [] ? [] : [$this->marksAt($place)]),
            ];
        }

        return new Table($headings, $rows);
    }

    /** @return array<string, array{int|float, array<int, int|float|null>}> by x: what each line has there */
    private function places(): array
    {
        $places = [];

        foreach ($this->lines as $number => $line) {
            foreach ($line->points as [$x, $y]) {
                $places[self::key($x)] ??= [$x, []];
                $places[self::key($x)][1][$number] = $y;
            }
        }

        foreach ($this->marks as $mark) {
            $places[self::key($mark->x)] ??= [$mark->x, []];
        }

        uasort($places, static fn (array $a, array $b): int => $a[0] <=> $b[0]);

        return $places;
    }

    /** With all its digits. */
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
                static fn (Mark $mark): string => $mark->text,
                array_filter($this->marks, static fn (Mark $mark): bool => (float) $mark->x === (float) $x),
            ),
        );
    }
}
