<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Console\TerminalStyles;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Support\TerminalText;

/**
 * Formats a diagnosis for a terminal of 80 columns.
 *
 * @internal
 */
final readonly class DoctorReport
{
    private const COLUMNS = 80;

    private const WIDTH = self::COLUMNS - 2;

    private TerminalStyles $styles;

    public function __construct(private Report $report, private bool $all, ?TerminalStyles $styles = null)
    {
        $this->styles = $styles ?? TerminalStyles::none();
    }

    /** The status as a word of a sentence. */
    public static function word(Status $status): string
    {
        return match ($status) {
            Status::Pass => 'passed',
            Status::Skipped => 'not applicable',
            default => $status->value,
        };
    }

    /** @return list<string> */
    public function lines(): array
    {
        $lines = [];
        $unknown = [];

        foreach ($this->report->results as $result) {
            if ($result->finding->status === Status::Unknown) {
                $unknown[$result->finding->message.implode(' ', $result->finding->fix->commands ?? [])][] = $result;
            }
        }

        foreach ($this->report->results as $result) {
            array_push($lines, ...match ($result->finding->status) {
                Status::Warn, Status::Fail => $this->problem($result),
                Status::Crashed => [$this->short($result), ''],
                Status::Unknown, Status::Pass, Status::Skipped => [],
            });
        }

        // Checks that are unknown for the same reason share one entry.
        foreach ($unknown as $results) {
            array_push($lines, ...$this->unknown($results));
        }

        foreach ($this->all ? $this->report->results : [] as $result) {
            if ($result->finding->status === Status::Pass || $result->finding->status === Status::Skipped) {
                array_push($lines, $this->short($result), ...$this->commands($result));
            }
        }

        return [...$lines, ...(new Summary($this->report, $this->styles))->lines()];
    }

    /** @return list<string> */
    private function problem(CheckResult $result): array
    {
        $finding = $result->finding;
        $lines = [...$this->heading($result), ...self::wrapped($finding->message, '  ')];
        $width = max([
            0, ...array_map(static fn (Evidence $evidence): int => strlen($evidence->what), $finding->evidence),
        ]);

        foreach ($finding->evidence as $evidence) {
            $lines[] = '    '
                .TerminalText::line(str_pad($evidence->what, $width)."  {$evidence->value}  ({$evidence->source})");
        }

        if ($finding->consequence !== '') {
            array_push($lines, ...self::wrapped($finding->consequence, '  '));
        }

        if ($finding->fix !== null) {
            $fix = $finding->fix->lines();
            array_push($lines, ...$this->labelled('Fix:', $fix[0]));

            // Never wrapped, so that the user can copy the lines.
            foreach (array_slice($fix, 1) as $line) {
                $lines[] = '  '.$this->copyable($line);
            }

            if ($finding->fix->rollback !== '') {
                array_push($lines, ...$this->labelled('Undo:', $finding->fix->rollback));
            }
        }

        return [...$lines, ''];
    }

    /** Keeps tabs, which configuration files use and which are harmless to a terminal. */
    private function copyable(string $line): string
    {
        return $this->styles->apply(
            match (true) {
                str_starts_with($line, '  + ') => 'added',
                str_starts_with($line, '  - ') => 'removed',
                str_starts_with($line, '  $ ') => 'command',
                default => '',
            },
            implode("\t", array_map(TerminalText::line(...), explode("\t", $line))),
        );
    }

    /**
     * @param non-empty-list<CheckResult> $results with the same reason
     * @return list<string>
     */
    private function unknown(array $results): array
    {
        $lines = self::wrapped(
            'unknown '.self::idsAndSubjects($results).": {$results[0]->finding->message}",
            '',
            '  ',
        );
        $lines[0] = $this->styles->apply('unknown', 'unknown').substr($lines[0] ?? '', strlen('unknown'));

        return array_merge(
            $lines,
            $this->commands($results[0]),
            [''],
        );
    }

    /**
     * @param non-empty-list<CheckResult> $results
     * @return string such as `N5, F1 F2 (pool api; pool www)`: checks of the same subjects share their parentheses
     */
    private static function idsAndSubjects(array $results): string
    {
        $subjects = [];

        foreach ($results as $result) {
            $subjects[$result->check->id][] = $result->finding->subject;
        }

        $ids = [];

        foreach ($subjects as $id => $ofCheck) {
            $named = array_unique(array_diff($ofCheck, ['']));
            $ids[$named === [] ? '' : ' ('.implode('; ', $named).')'][] = $id;
        }

        return implode(', ', array_map(
            static fn (string $named, array $ofNamed): string => implode(' ', $ofNamed).$named,
            array_keys($ids),
            $ids,
        ));
    }

    /** @return list<string> */
    private function commands(CheckResult $result): array
    {
        return array_map(
            fn (string $command): string => $this->styles->apply('command', '    $ '.TerminalText::line($command)),
            $result->finding->fix->commands ?? [],
        );
    }

    /** @return non-empty-list<string> */
    private function heading(CheckResult $result): array
    {
        $severity = $result->check->severity->value;
        $label = strtoupper($severity)." {$result->check->id}";
        $title = TerminalText::line("{$label}  {$result->check->title}");
        $subject = self::subject($result);
        // A subject stays whole if it can, so that a user can copy it to --ignore.
        $lines = strlen($title.$subject) <= self::COLUMNS
            ? [$title.$subject]
            : [...self::wrapped($title, '', '  '), ...($subject === '' ? [] : self::wrapped(trim($subject), '  '))];
        $first = substr(array_shift($lines) ?? '', strlen($label));

        return [
            $this->styles->apply($severity, $label).$this->styles->apply('heading', $first),
            ...array_map(fn (string $line): string => $this->styles->apply('heading', $line), $lines),
        ];
    }

    private function short(CheckResult $result): string
    {
        $word = self::word($result->finding->status);

        return $this->styles->apply($word, $word)
           ." {$result->check->id}".self::subject($result)
           .': '.TerminalText::line($result->finding->message);
    }

    private static function subject(CheckResult $result): string
    {
        return $result->finding->subject === '' ? '' : TerminalText::line(" ({$result->finding->subject})");
    }

    /** @return list<string> */
    private function labelled(string $label, string $text): array
    {
        $lines = self::wrapped("{$label} {$text}", '  ');
        $lines[0] = '  '.$this->styles->apply('heading', $label).substr($lines[0] ?? '', strlen("  {$label}"));

        return $lines;
    }

    /** @return list<string> */
    private static function wrapped(string $text, string $indent, ?string $next = null): array
    {
        $lines = explode("\n", wordwrap(TerminalText::line($text), self::WIDTH - strlen($indent)));

        return array_map(
            static fn (string $line, int $number): string => ($number === 0 ? $indent : $next ?? $indent).$line,
            $lines,
            array_keys($lines),
        );
    }
}
