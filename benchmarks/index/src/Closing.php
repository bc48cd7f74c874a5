<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Report\Page\Block;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Table;

/**
 * What each chapter ends with: how to repeat it, what it does not say, and where and when it was measured.
 */
final readonly class Closing
{
    /**
     * @param string $takes how long, "about forty minutes"
     * @param list<string> $notSaid
     * @param bool $hasPage whether the experiment writes a page of its own
     */
    public function __construct(
        private Experiment $experiment,
        private string $takes,
        private string $takesQuick,
        private array $notSaid,
        private bool $hasPage,
    ) {}

    /** @return list<Block> */
    public function blocks(): array
    {
        $name = $this->experiment->name;

        return [
            new Paragraph('What this does not say:'),
            new BulletList($this->notSaid),
            new Details('How to repeat it', [
                new Code(
                    "make bench-{$name}            # {$this->takes}\nQUICK=1 make bench-{$name}    #"
                        ." {$this->takesQuick}, wider spread",
                ),
                new Paragraph(
                    "On a machine that does nothing else meanwhile. How it is measured: benchmarks/{$name}/README.md."
                        ." The figures: benchmarks/results/{$this->experiment->file}.",
                ),
            ]),
            ...$this->measured(),
        ];
    }

    /** @return list<Block> */
    private function measured(): array
    {
        $rows = [];
        $isNamed = array_keys($this->experiment->parts) !== [''];

        foreach ($this->experiment->parts as $part) {
            $rows[] = [
                $isNamed ? $part->name : 'all', $part->machine->commit, $part->machine->date, $part->machine->words,
            ];
        }

        $grid = new Details(
            'Machine, commit and date of each part',
            [new Table(['part', 'commit', 'date', 'machine'], $rows)],
        );
        $page = $this->experiment->page();

        return match (true) {
            $rows === [] => [],
            $this->hasPage => [
                $grid, new Table(['more'], [[new Cell('All that this experiment measured', $page, link: $page)]]),
            ],
            default => [$grid],
        };
    }
}
