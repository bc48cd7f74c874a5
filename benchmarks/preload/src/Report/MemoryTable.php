<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * What a list costs: memory, and the start of PHP-FPM; and what it spares the first request.
 */
final readonly class MemoryTable
{
    private const MEGABYTE = 1_000_000;

    public function __construct(private ResultsFile $results) {}

    public function section(): Section
    {
        return new Section('memory', 'Memory, start, first request', [
            new Table(
                [
                    'variant', 'files', 'classes', 'list, MB', 'worker, MB', 'start, ms', 'first request, ms',
                    "first request to {$this->results->base()->name}",
                ],
                array_map($this->row(...), $this->results->variants),
            ),
            Paragraph::note(
                'list: what `preload_statistics` says, of opcache\'s shared memory, once for all workers. worker:'
                    .' proportional set after the same requests, in which half counts of what worker and master share.'
                    .' start: until a worker waits for requests. Small below a figure: least and most, or the quartiles'
                    .' of a ratio.',
            ),
        ]);
    }

    /** @return non-empty-list<string|Cell> */
    private function row(Measured $measured): array
    {
        return [
            $measured->name,
            number_format($measured->files),
            number_format($measured->classes),
            sprintf('%.1f', $measured->listBytes / self::MEGABYTE),
            self::spread($measured->workerBytes, 1 / self::MEGABYTE, 1),
            self::spread($measured->startMillis, 1, 0),
            self::spread($measured->firstMillis, 1, 1),
            $measured === $this->results->base()
                ? Unit::Times->words(1)
                : new Cell(
                    $measured->first->times(),
                    $measured->first->timesQuartiles(),
                    $measured->first->isSeen ? Tone::Plain : Tone::Quiet,
                ),
        ];
    }

    private static function spread(Spread $spread, float $factor, int $digits): Cell
    {
        return new Cell(
            number_format($factor * $spread->median, $digits),
            number_format($factor * $spread->least, $digits).' to '.number_format($factor * $spread->most, $digits),
        );
    }
}
