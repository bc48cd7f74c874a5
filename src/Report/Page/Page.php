<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

use Headroom\Report\ReportPage;

/**
 * A report: a title, one line that says what it is, and sections one below the other. It becomes one file that opens
 * without a network.
 *
 * Everything in it is plain text: markup, control characters and broken UTF-8 are shown, not obeyed. In Paragraph,
 * BulletList and the note of a chart, text in `backticks` is set as code.
 *
 * ```php
 * (new Page('Queue benchmark', 'Jobs per second of five queue drivers, one machine.', [
 *     new Section('result', 'Result', [
 *         Paragraph::lead('redis: 5,200 jobs/s.'),
 *         new Table(['driver', 'jobs/s'], [['redis', new Cell('5,200', 'quartiles 5,150 to 5,260')]]),
 *         new BoxChart('rates', 'Jobs per second', 'A point is a run.', Unit::PerSecond, [
 *             BoxPlot::ofSamples('redis', [5150, 5200, 5260]),
 *         ]),
 *     ]),
 * ]))->html();
 * ```
 *
 * @internal
 */
final readonly class Page
{
    /**
     * @param list<Section> $sections
     * @throws InvalidPage when an id is there twice
     */
    public function __construct(public string $title, public string $what, public array $sections)
    {
        Assert::text($title, 'title of the page');
        $seen = [];

        foreach (self::ids($sections) as $id) {
            isset($seen[$id]) && throw InvalidPage::twice($id);
            $seen[$id] = true;
        }
    }

    /** The whole file. */
    public function html(): string
    {
        return ReportPage::html($this->title, $this->toArray());
    }

    /** @return array{kind: 'page', what: string, sections: list<array<string, mixed>>} */
    public function toArray(): array
    {
        return [
            'kind' => 'page',
            'what' => $this->what,
            'sections' => array_map(static fn (Section $section): array => $section->toArray(), $this->sections),
        ];
    }

    /**
     * @param list<Section> $sections
     * @return list<string>
     */
    private static function ids(array $sections): array
    {
        $ids = [];

        foreach ($sections as $section) {
            array_push($ids, $section->id, ...self::within($section->blocks));
        }

        return $ids;
    }

    /**
     * @param list<Block> $blocks
     * @return list<string>
     */
    private static function within(array $blocks): array
    {
        $ids = [];

        foreach ($blocks as $block) {
            array_push(
                $ids,
                ...($block instanceof Chart ? [$block->id()] : []),
                ...($block instanceof Container ? self::within($block->blocks()) : []),
            );
        }

        return $ids;
    }
}
