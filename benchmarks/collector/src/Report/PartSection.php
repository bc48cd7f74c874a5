<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;

/**
 * What is not in the charts: each figure of a part, what it should be, and whether it is.
 */
final readonly class PartSection
{
    public function __construct(private Part $part, private ?MeasuredPart $measured) {}

    /** @throws UnableToReadResults */
    public function section(): Section
    {
        $isMissed = array_filter(
            $this->part->rows(),
            fn (Row $row): bool => $row->outcome($this->measured) === Outcome::Missed,
        ) !== [];

        return new Section("part-{$this->part->value}", $this->part->title(), [
            new Paragraph($this->part->words()),
            $this->measured === null
                ? new Paragraph("Not measured: `PART={$this->part->value} make bench-collector`.", Tone::Quiet)
                : Paragraph::note(ucfirst($this->measured->origin()).'.'),
            new Table(['what', 'measured', 'outcome'], array_map($this->row(...), $this->part->rows())),
        ], $isMissed ? Tone::Alert : Tone::Plain);
    }

    /** @return list<string|Cell> three columns, as more are too wide for a phone */
    private function row(Row $row): array
    {
        return [
            $row->what,
            new Cell($row->measured($this->measured), $row->spread($this->measured)),
            match ($row->outcome($this->measured)) {
                Outcome::Reached => new Cell('✓ reached', $row->aim(), Tone::Good),
                Outcome::Missed => new Cell('✗ missed', $row->aim(), Tone::Alert),
                Outcome::NotMeasured => new Cell('– not measured', $row->aim(), Tone::Quiet),
                Outcome::NoAim => '',
            },
        ];
    }
}
