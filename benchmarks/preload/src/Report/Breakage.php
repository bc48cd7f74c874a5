<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Benchmarks\Preload\Pages;
use Headroom\Benchmarks\Preload\Summary;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;

/**
 * Warnings, and what answers otherwise.
 */
final readonly class Breakage
{
    /** What the traps are for: workbench/README.md. */
    private const WHY = [
        'GET /pages/anonymous' =>
            'an anonymous class whose parent may not be preloaded: a TypeError from the second request on',
        'GET /pages/alias' => 'a class by its alias: the file that calls class_alias() was compiled and not run',
        'GET /pages/optional' => 'a class whose interface is in a package that is not installed',
        'GET /pages/impure-parent' => 'the file of a parent calls define(), and was compiled and not run',
        'GET /pages/trap' => 'answers by whether a class is loaded already',
        'GET /pages/audited' => 'loads the class that another page asks for',
    ];

    public function __construct(private ResultsFile $results) {}

    public function section(): Section
    {
        return new Section('breaks', 'Warnings, and pages that answer otherwise', [
            new Paragraph(sprintf(
                'All %d pages were asked three times of each variant. %d of them are traps:'
                    .' they were made to break under a list that was made without care, so their number says nothing of'
                    .' other applications.',
                count(Pages::all()),
                count(Pages::TRAPS),
            )),
            ...array_map(
                static fn (string $name, string $said): Paragraph
                    => new Paragraph("{$name} was not measured: `{$said}`", Tone::Alert),
                array_keys($this->results->refused),
                $this->results->refused,
            ),
            new Table(
                ['variant', 'warnings', 'pages changed', 'classes left out', 'made in'],
                array_map($this->row(...), $this->results->variants),
            ),
            Paragraph::note(
                'warnings: what PHP could not preload, from its log. classes left out: wanted, and not in the list,'
                    .' since preloaded they warn, change a page or lack what they need. made in:'
                    .' with the proof that no page changes.',
            ),
            ...array_merge(...array_map(self::broken(...), $this->others())),
            ...($this->others() === []
                ? [Paragraph::lead('Under the lists of headroom:preload no page answers otherwise.', Tone::Good)]
                : []),
            ...array_merge(...array_map(self::broken(...), $this->article())),
        ], $this->others() === [] ? Tone::Plain : Tone::Alert);
    }

    /** @return non-empty-list<string|Cell> */
    private function row(Measured $measured): array
    {
        $traps = count(array_intersect($measured->changed, Pages::TRAPS));
        $made = $this->results->made[$measured->name] ?? null;

        return [
            $measured->name,
            (string) $measured->warnings,
            new Cell(
                (string) count($measured->changed),
                $traps === 0 ? '' : "{$traps} made as traps",
                $measured->changed === [] || $measured->name === Summary::ARTICLE ? Tone::Plain : Tone::Alert,
            ),
            $made === null ? '–' : number_format($made->number('dropped')),
            $made === null ? '–' : sprintf('%.1f s', $made->number('generate_s')),
        ];
    }

    /** @return list<Measured> none when it was not measured */
    private function article(): array
    {
        $article = $this->results->variant(Summary::ARTICLE);

        return $article === null ? [] : [$article];
    }

    /** @return list<Measured> variants but the article's, of which some page answers otherwise */
    private function others(): array
    {
        return array_values(array_filter(
            $this->results->variants,
            static fn (Measured $measured): bool => $measured->changed !== [] && $measured->name !== Summary::ARTICLE,
        ));
    }

    /** @return list<Block> */
    private static function broken(Measured $measured): array
    {
        $list = $measured->name === Summary::ARTICLE ? "the article's own list" : $measured->name;
        $innocent = count(array_diff($measured->changed, Pages::TRAPS));

        return $measured->changed === [] ? [Paragraph::lead("Under {$list} no page answers otherwise.")] : [
            Paragraph::lead(
                "Under {$list} other answers come from these, of which "
                    .($innocent === 0 ? 'all were made as traps:' : "{$innocent} were not made as traps:"),
                $measured->name === Summary::ARTICLE ? Tone::Plain : Tone::Alert,
            ),
            new BulletList(array_map(
                static fn (string $page): string => "`{$page}`"
                    .(isset(self::WHY[$page]) ? ' (made as a trap): '.self::WHY[$page] : ' (no trap)'),
                $measured->changed,
            )),
        ];
    }
}
