<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\Block;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\InvalidPage;
use Headroom\Report\Page\Page;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\ReportFile;
use JsonException;
use RuntimeException;

/**
 * The pages of a directory of results: one of each experiment, and one of all. The same results make the same pages.
 */
final readonly class Pages
{
    public const INDEX = 'index';

    private const QUICK = 'A quick run: its rounds are few and short. It shows that the experiment works;'
        .' do not compare its figures.';

    public function __construct(private string $directory, private bool $isQuick = false) {}

    /** @throws UnableToReport */
    public function page(string $name): Page
    {
        return $name === self::INDEX ? $this->index() : $this->experiment(Experiment::all()[$name]);
    }

    /**
     * @return string path of the page
     * @throws UnableToReport
     */
    public function write(string $name): string
    {
        $path = $this->path($name, 'html');

        try {
            $html = $this->page($name)->html();
        } catch (InvalidPage|JsonException $e) {
            throw UnableToReport::because($this->path($name, 'json'), $e->getMessage());
        }

        $obstacle = ReportFile::write($path, $html);

        return $obstacle === null
            ? $path
            : throw new RuntimeException(
                "{$path} cannot be written: {$obstacle}. Check that its directory is writable.",
            );
    }

    private function experiment(Experiment $experiment): Page
    {
        $figures = $this->figures($experiment);
        $sections = [
            new Section('result', 'Result', [...$this->warning(), ...self::result($experiment, $figures)]),
        ];

        foreach ($experiment->sections as $id => [$title, $drawings]) {
            $blocks = self::drawn($drawings, $figures);
            $sections = $blocks === [] ? $sections : [...$sections, new Section($id, $title, $blocks)];
        }

        return new Page($experiment->title, str_replace('`', '', $experiment->compared), [
            ...$sections,
            new Section('limits', 'What the figures do not say', [new BulletList($experiment->limits)]),
            new Section('repeat', 'How to repeat it', self::repeat($experiment)),
            new Section('machines', 'Machine, commit and date of each part', [self::machines($figures)]),
        ]);
    }

    private function index(): Page
    {
        $rows = $sections = [];

        foreach (Experiment::all() as $name => $experiment) {
            $figures = $this->figures($experiment);
            $template = new Template($experiment->result);
            $isMeasured = $figures->isMeasured && $template->isComplete($figures);
            $rows[] = [
                new Cell($experiment->title, link: "#{$name}"),
                $isMeasured
                    ? new Cell(str_replace('`', '', $template->words($figures)), self::measured($figures))
                    : new Cell('not measured', "{$experiment->command} measures it", Tone::Quiet),
                $experiment->hasPage() && $figures->isMeasured
                    ? new Cell('all figures', link: basename($this->path($name, 'html')))
                    : '',
            ];
            $sections[] = new Section($name, $experiment->title, [
                new Paragraph($experiment->compared),
                ...self::result($experiment, $figures),
                new Details('What the figures do not say', [new BulletList($experiment->limits)]),
                new Details('How to repeat it', self::repeat($experiment)),
                new Details('Machine, commit and date of each part', [self::machines($figures)]),
            ]);
        }

        return new Page(
            'Headroom: what was measured',
            'Each experiment of this repository: what was compared, with what result, on which machine, and the command'
                .' that repeats it.',
            [
                new Section('results', 'Results', [
                    ...$this->warning(), new Table(['experiment', 'result', ''], $rows),
                ]),
                ...$sections,
            ],
        );
    }

    /**
     * @return list<Block>
     * @throws UnableToReport
     */
    private static function result(Experiment $experiment, Figures $figures): array
    {
        return $figures->isMeasured
            ? self::drawn([Text::lead($experiment->result), ...$experiment->summary], $figures)
            : [new Paragraph("Not measured yet. `{$experiment->command}` measures it.", Tone::Alert)];
    }

    /**
     * @param list<Drawing> $drawings
     * @return list<Block>
     * @throws UnableToReport
     */
    private static function drawn(array $drawings, Figures $figures): array
    {
        return $figures->isMeasured
            ? array_merge(...array_map(static fn (Drawing $drawing): array => $drawing->draw($figures), $drawings))
            : [];
    }

    /** @return list<Block> */
    private static function repeat(Experiment $experiment): array
    {
        return [
            new Code($experiment->command),
            new Paragraph(
                "It takes {$experiment->duration}; nothing else should run meanwhile."
                    ." benchmarks/{$experiment->name}/README.md"
                    .' says how it is measured.',
            ),
        ];
    }

    private static function machines(Figures $figures): Table
    {
        $rows = [];
        $parts = $figures->has('parts') ? $figures->entries('parts') : ['all' => $figures];

        foreach ($figures->isMeasured ? $parts : [] as $name => $part) {
            $machine = $part->at('machine');
            $rows[] = [$name, $machine->text('commit'), $machine->text('date'), self::machine($machine)];
        }

        return new Table(['part', 'commit', 'date', 'machine'], $rows);
    }

    private static function machine(Figures $machine): string
    {
        return (new Template('{cpu|text}, {cores|count} cores, {memory_mb|count} MB, {kernel|text}, PHP {php|text}'))
            ->words($machine);
    }

    /** When, and on which machines. */
    private static function measured(Figures $figures): string
    {
        $dates = $machines = [];

        foreach ($figures->has('parts') ? $figures->entries('parts') : [$figures] as $part) {
            $machine = $part->at('machine');
            $dates[] = substr($machine->text('date'), 0, 10);
            $machines[] = (new Template('{cpu|text}, {cores|count} cores, PHP {php|text}'))->words($machine);
        }

        return implode(' to ', array_unique([min($dates), max($dates)])).', '.implode('; ', array_unique($machines));
    }

    /** @return list<Block> */
    private function warning(): array
    {
        return $this->isQuick ? [new Paragraph(self::QUICK, Tone::Alert)] : [];
    }

    private function figures(Experiment $experiment): Figures
    {
        return Figures::read($this->path($experiment->name, 'json'), $experiment->name);
    }

    private function path(string $name, string $extension): string
    {
        return "{$this->directory}/{$name}".($this->isQuick ? '-quick' : '').".{$extension}";
    }
}
