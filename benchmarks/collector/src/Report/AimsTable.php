<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Benchmarks\Html;

/**
 * What is not in the charts: each figure of each part, what it should be, and whether it is.
 */
final readonly class AimsTable
{
    private const SIGNS = ['reached' => '✓ reached', 'missed' => '✗ missed', 'not measured' => '– not measured', 'no aim' => ''];

    public function __construct(private ResultsFile $results) {}

    /** How many aims were reached, and which were not. */
    public function summary(): Html
    {
        $by = ['reached' => [], 'missed' => [], 'not measured' => []];

        foreach (self::parts() as $part) {
            foreach ($part->rows() as $row) {
                $outcome = $row->outcome($this->results->part($part));
                $row->isAim() && $by[$outcome->value][] = [$part, $row];
            }
        }

        $counted = array_map(static fn (string $outcome, array $rows): string => count($rows)." {$outcome}", array_keys($by), $by);

        return Html::element('section', ['id' => 'summary', 'class' => $by['missed'] === [] ? null : 'missed'],
            Html::element('h2', [], 'Aims: '.implode(', ', $counted)),
            ...($by['missed'] === [] ? [] : [Html::element('p', [], 'Missed:'), Html::element('ul', [], ...array_map($this->miss(...), $by['missed']))]),
            ...$this->notMeasured(),
        );
    }

    public function draw(): Html
    {
        return Html::element('section', ['id' => 'aims'],
            Html::element('h2', [], 'The other parts: aim and measured'),
            Html::element('p', [], 'A figure with a spread is the median of so many rounds; the spread is the interquartile range as a share of it. A difference smaller than its spread is none.'),
            Html::element('table', ['class' => 'aims'],
                Html::element('thead', [], Html::element('tr', [], ...array_map(static fn (string $name): Html => Html::element('th', ['scope' => 'col'], $name), ['what', 'aim', 'measured', 'outcome']))),
                ...array_map($this->part(...), self::parts()),
            ),
        );
    }

    /** @return list<Part> */
    private static function parts(): array
    {
        return array_values(array_filter(Part::cases(), static fn (Part $part): bool => $part->rows() !== []));
    }

    /** @param array{Part, Row} $of */
    private function miss(array $of): Html
    {
        [$part, $row] = $of;

        return Html::element('li', [], Html::element('a', ['href' => "#part-{$part->value}"], $part->title()), ": {$row->what}: {$row->measured($this->results->part($part))}, aim {$row->aim()}");
    }

    /** @return list<Html> */
    private function notMeasured(): array
    {
        $titles = array_map(static fn (Part $part): string => $part->value, array_filter(Part::cases(), fn (Part $part): bool => $this->results->part($part) === null));

        return $titles === [] ? [] : [Html::element('p', ['class' => 'missing'], 'Parts that are not measured in these results: '.implode(', ', $titles).'.')];
    }

    private function part(Part $part): Html
    {
        $measured = $this->results->part($part);
        $where = $measured === null
            ? "Not measured: PART={$part->value} make bench-collector"
            : "commit {$measured->machine('commit')}, {$measured->machine('date')}, {$measured->machine('cpu')}, {$measured->machine('cores')} cores, PHP {$measured->machine('php')}";

        return Html::element('tbody', ['id' => "part-{$part->value}"],
            Html::element('tr', ['class' => 'part'], Html::element('th', ['scope' => 'rowgroup', 'colspan' => 4], $part->title(), ' ', Html::element('small', [], $where))),
            ...array_map(fn (Row $row): Html => $this->row($row, $measured), $part->rows()),
        );
    }

    private function row(Row $row, ?MeasuredPart $measured): Html
    {
        $outcome = $row->outcome($measured);

        return Html::element('tr', [],
            Html::element('th', ['scope' => 'row'], $row->what),
            Html::element('td', [], $row->aim()),
            Html::element('td', [], $row->measured($measured), ' ', Html::element('small', [], $row->spread($measured))),
            Html::element('td', ['class' => strtr($outcome->value, ' ', '-')], self::SIGNS[$outcome->value]),
        );
    }
}
