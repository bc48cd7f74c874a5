<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Tone;

/**
 * An article's row of the first table.
 */
final readonly class Headline
{
    private function __construct(
        private string $title,
        private string $id,
        private string $theirs,
        private Cell $ours,
        private Cell $compared,
    ) {}

    /**
     * @param string $theirs the article's figure
     * @param string $compared the two beside each other
     * @param string $aim what was wanted, and whether it was reached, in words
     */
    public static function of(
        string $title,
        string $id,
        string $theirs,
        string $ours,
        string $compared,
        string $aim,
        bool $isReached,
    ): self {
        return new self(
            $title,
            $id,
            $theirs,
            new Cell($ours),
            new Cell($compared, $aim.($isReached ? ': reached' : ': missed'), $isReached ? Tone::Good : Tone::Alert),
        );
    }

    public static function missing(string $title, string $id, string $theirs, string $command): self
    {
        return new self($title, $id, $theirs, Missing::cell($command), new Cell('–', '', Tone::Quiet));
    }

    /** @return list<string|Cell> */
    public function row(): array
    {
        return [new Cell($this->title, '', Tone::Plain, "#{$this->id}"), $this->theirs, $this->ours, $this->compared];
    }
}
