<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Tone;

/**
 * What nobody measured is said, with what would.
 */
final readonly class Missing
{
    public static function cell(string $command): Cell
    {
        return new Cell('not measured', $command, Tone::Quiet);
    }

    /**
     * The rest of a row that begins with the reason.
     *
     * @param int<1, max> $cells
     * @return list<Cell>
     */
    public static function cells(Cell $reason, int $cells): array
    {
        return [$reason, ...array_fill(0, $cells - 1, new Cell('–', '', Tone::Quiet))];
    }

    /** Of something that this machine can not measure at all. */
    public static function never(string $why): Cell
    {
        return new Cell('not measured', $why, Tone::Quiet);
    }

    public static function words(string $what, string $command): Paragraph
    {
        return new Paragraph("{$what}: not measured. `{$command}` measures it.", Tone::Alert);
    }
}
