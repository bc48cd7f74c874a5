<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Columns;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Tone;

/**
 * One scenario: requests/s and response time of both stacks over time, and all its steps in a table.
 */
final readonly class ScenarioSection
{
    public const STACKS = ['x' => 'stack X', 'a' => 'stack A'];

    /** @param array{x: list<Step>, a: list<Step>} $steps by stack */
    private function __construct(public Scenario $scenario, public array $steps) {}

    /** @throws UnableToReadResults */
    public static function of(Scenario $scenario, ResultsFile $results): self
    {
        $figures = $results->part(Part::Figures);

        return new self($scenario, [
            'x' => $figures?->steps("{$scenario->value}_x") ?? [],
            'a' => $figures?->steps("{$scenario->value}_a") ?? [],
        ]);
    }

    public function isEmpty(): bool
    {
        return $this->steps['x'] === [] && $this->steps['a'] === [];
    }

    public function section(): Section
    {
        return new Section($this->scenario->value, $this->scenario->title(), [
            ...($this->isEmpty() ? [] : [Paragraph::lead($this->lead())]),
            new Paragraph($this->scenario->words()),
            ...$this->missing(),
            ...($this->isEmpty() ? [] : [
                new Columns((new ScenarioCharts($this->scenario->value, $this->steps))->charts()),
                new Details('All steps, with p99 and errors', [StepTable::of($this->steps)]),
            ]),
        ]);
    }

    public function atTheEnd(): string
    {
        return number_format(max(array_map(
            static fn (array $steps): int => $steps === [] ? 0 : $steps[count($steps) - 1]->users,
            $this->steps,
        )))
            .' users';
    }

    private function lead(): string
    {
        $words = [];

        foreach (array_filter($this->steps) as $stack => $steps) {
            $last = $steps[count($steps) - 1];
            $words[] = self::STACKS[$stack]." {$last->rate()}, {$last->half()}, {$last->failed()}";
        }

        return "At {$this->atTheEnd()}: ".implode('; ', $words).'.';
    }

    /** @return list<Block> */
    private function missing(): array
    {
        $missing = array_intersect_key(
            self::STACKS,
            array_filter($this->steps, static fn (array $steps): bool => $steps === []),
        );

        return $missing === []
            ? []
            : [new Paragraph(
                'Not measured: '.implode(' and ', $missing)
                    .'. `PART=figures make bench-collector` measures it; it needs an OpenSearch.',
                Tone::Quiet,
            )];
    }
}
