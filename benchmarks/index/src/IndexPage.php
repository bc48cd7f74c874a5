<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\PageFile;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Page;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;

/**
 * One page of all that was measured. The same results make the same page.
 */
final readonly class IndexPage
{
    public function __construct(private string $directory, private bool $isQuick) {}

    /**
     * @return string the path of what was written
     * @throws UnableToReadResults
     */
    public function write(): string
    {
        return PageFile::write(
            $this->directory.'/index'.($this->isQuick ? '-quick' : '').'.html',
            $this->directory,
            fn (): string => $this->page()->html(),
        );
    }

    /** @throws UnableToReadResults */
    public function page(): Page
    {
        $chapters = [
            new WriteBuffer($this->experiment('write-buffer')),
            new Bottleneck($this->experiment('bottleneck')),
            new Queues($this->experiment('queues')),
            new Preload($this->experiment('preload')),
            new Collector($this->experiment('collector')),
        ];
        $besides = new Besides(
            $this->experiment('load'),
            $this->experiment('logs'),
            $this->experiment('durability'),
            Experiment::read($this->directory, 'torture', false),
        );

        return new Page('Benchmarks', 'The tables of five articles, each with what was measured here beside it.', [
            new Section('articles', 'Five articles, and the same here', $this->first($chapters)),
            ...array_map(static fn (Chapter $chapter): Section => $chapter->section(), $chapters),
            $besides->section(),
        ]);
    }

    /**
     * @param list<Chapter> $chapters
     * @return list<Block>
     */
    private function first(array $chapters): array
    {
        $rows = array_map(static fn (Chapter $chapter): array => $chapter->headline()->row(), $chapters);

        return [
            ...($this->isQuick
                ? [Paragraph::lead(
                    'A quick run: its rounds are few and short. It shows that everything works;'
                        .' its figures are no results.',
                    Tone::Alert,
                )]
                : []),
            new Table(
                ['article', 'the article, on its machine', 'here', 'beside each other'],
                [
                    ...$rows,
                    [
                        new Cell('What no article has', '', Tone::Plain, '#'.Besides::ID),
                        '–',
                        'load generator, logs, durability, torture',
                        '–',
                    ],
                ],
            ),
            new Paragraph(
                'The articles were measured on other machines, each on its own. So ratios can be compared, and requests'
                    .' per second can not. Here client and servers share one machine; each section says which, when,'
                    .' of which commit, and what its figures do not say. An aim is the ratio of the article where it is'
                    .' named with it, and our own where not; one that was missed is said to be.',
            ),
            new Code($this->isQuick ? 'QUICK=1 make bench' : 'make bench'),
        ];
    }

    private function experiment(string $name): Experiment
    {
        return Experiment::read($this->directory, $name, $this->isQuick);
    }
}
