<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\Page;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;

/**
 * The report of the doctor as a page for a browser.
 *
 * @internal
 */
final readonly class DoctorPage
{
    /** A browser takes seconds to lay out more of them, and a person does not read them. */
    private const MAX_FINDINGS = 500;

    public function __construct(
        private Report $report,
        private string $when,
        private ?LoadDiagnosis $underLoad = null,
    ) {}

    public function html(): string
    {
        return $this->page()->html();
    }

    public function page(): Page
    {
        $problems = array_slice($this->report->problems(), 0, self::MAX_FINDINGS);
        $ids = self::ids($problems);
        $others = array_values(array_filter(
            $this->report->results,
            static fn (CheckResult $result): bool => ! $result->finding->status->isProblem(),
        ));

        return new Page('Doctor', "Report of {$this->when}.", [
            ...($this->underLoad === null ? [] : [UnderLoadSection::of($this->underLoad, $this->report)]),
            $this->summary($problems, $ids),
            ...array_map(self::problem(...), $problems, $ids),
            ...($others === [] ? [] : [self::others($others)]),
        ]);
    }

    /** @param list<Evidence> $evidence */
    public static function evidence(array $evidence): Table
    {
        return new Table(['evidence', 'value', 'source'], array_map(
            static fn (Evidence $one): array => [$one->what, new Cell($one->value), new Cell($one->source)],
            $evidence,
        ));
    }

    /**
     * @param list<CheckResult> $problems
     * @return list<string> an id of the page for each of them
     */
    private static function ids(array $problems): array
    {
        $seen = [];

        return array_map(static function (CheckResult $result) use (&$seen): string {
            $id = trim((string) preg_replace('/[^a-z0-9]+/', '-', strtolower($result->check->id)), '-');
            $number = $seen[$id] = ($seen[$id] ?? 0) + 1;

            return $number === 1 ? "finding-{$id}" : "finding-{$id}-{$number}";
        }, $problems);
    }

    /**
     * @param list<CheckResult> $problems
     * @param list<string> $ids
     */
    private function summary(array $problems, array $ids): Section
    {
        $counts = new Paragraph((new Summary($this->report))->counts());
        $table = new Table(['check', 'severity', 'problem', 'subject'], array_map(
            static fn (CheckResult $result, string $id): array => [
                new Cell($result->check->id, link: "#{$id}"),
                new Cell($result->check->severity->value, tone: self::tone($result->check->severity)),
                $result->check->title,
                $result->finding->subject,
            ],
            $problems,
            $ids,
        ));

        $all = count($this->report->problems());

        return new Section('summary', $problems === [] ? 'Summary' : 'Summary, most urgent first', [
            $counts,
            ...($all > count($problems)
                ? [new Paragraph(
                    'This page shows the '.count($problems)." most urgent of {$all} findings. The output of"
                        .' `--json` has all of them.',
                    Tone::Alert,
                )]
                : []),
            ...($problems === [] ? [] : [$table]),
        ]);
    }

    private static function problem(CheckResult $result, string $id): Section
    {
        $finding = $result->finding;
        $facts = [$result->check->severity->value, $finding->subject, $finding->confidence->value];

        return new Section($id, "{$result->check->id} {$result->check->title}", [
            new Paragraph(
                implode(', ', array_filter($facts, static fn (string $fact): bool => $fact !== '')),
                self::tone($result->check->severity),
            ),
            new Paragraph($finding->message),
            ...($finding->evidence === [] ? [] : [self::evidence($finding->evidence)]),
            ...($finding->consequence === '' ? [] : [new Paragraph($finding->consequence)]),
            ...self::fix($finding),
        ], self::tone($result->check->severity));
    }

    /** @return list<Block> */
    private static function fix(Finding $finding): array
    {
        $lines = $finding->fix?->lines() ?? [];

        if ($finding->fix === null || $lines === []) {
            return [];
        }

        // The lines have the indentation of the terminal's report.
        $code = array_map(static fn (string $line): string => substr($line, 2), array_slice($lines, 1));

        return [
            new Paragraph("Fix: {$lines[0]}"),
            ...($code === [] ? [] : [new Code(implode("\n", $code))]),
            ...($finding->fix->rollback === '' ? [] : [Paragraph::note("Undo: {$finding->fix->rollback}")]),
        ];
    }

    /** @param list<CheckResult> $results */
    private static function others(array $results): Section
    {
        return new Section('others', 'Other checks', [new Details(
            'Checks that passed, are unknown or do not apply',
            [new Table(['check', 'result', 'observation', 'command'], array_map(
                static fn (CheckResult $result): array => [
                    $result->key(),
                    DoctorReport::word($result->finding->status),
                    new Cell($result->finding->message),
                    new Cell(implode("\n", $result->finding->fix->commands ?? [])),
                ],
                $results,
            ))],
        )]);
    }

    private static function tone(Severity $severity): Tone
    {
        return $severity->isAtLeast(Severity::High) ? Tone::Alert : Tone::Plain;
    }
}
