<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Console\TerminalStyles;
use Headroom\Doctor\Diagnosis;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Status;
use Headroom\Doctor\Verdict;
use Headroom\Support\TerminalText;

/**
 * Formats a diagnosis for a terminal of 80 columns.
 *
 * @internal
 */
final readonly class DoctorReport
{
    private const WIDTH = 78;

    private TerminalStyles $styles;

    public function __construct(private Diagnosis $diagnosis, private bool $all, ?TerminalStyles $styles = null)
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

        foreach ($this->diagnosis->verdicts as $verdict) {
            if ($verdict->finding->status === Status::Unknown) {
                $unknown[$verdict->finding->message.implode(' ', $verdict->finding->fix->commands ?? [])][] = $verdict;
            }
        }

        foreach ($this->diagnosis->verdicts as $verdict) {
            array_push($lines, ...match ($verdict->finding->status) {
                Status::Warn, Status::Fail => $this->problem($verdict),
                Status::Crashed => [$this->short($verdict), ''],
                Status::Unknown, Status::Pass, Status::Skipped => [],
            });
        }

        // Checks that are unknown for the same reason share one entry.
        foreach ($unknown as $verdicts) {
            array_push($lines, ...$this->unknown($verdicts));
        }

        foreach ($this->all ? $this->diagnosis->verdicts : [] as $verdict) {
            if ($verdict->finding->status === Status::Pass || $verdict->finding->status === Status::Skipped) {
                array_push($lines, $this->short($verdict), ...$this->commands($verdict));
            }
        }

        return [...$lines, ...(new Summary($this->diagnosis, $this->styles))->lines()];
    }

    /** @return list<string> */
    private function problem(Verdict $verdict): array
    {
        $finding = $verdict->finding;
        $lines = [$this->heading($verdict), ...self::wrapped($finding->message, '  ')];
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
     * @param non-empty-list<Verdict> $verdicts with the same reason
     * @return list<string>
     */
    private function unknown(array $verdicts): array
    {
        $ids = implode(
            ' ',
            array_unique(array_map(static fn (Verdict $verdict): string => $verdict->rule->id, $verdicts)),
        );

        $lines = self::wrapped(
            "unknown {$ids}".self::subject($verdicts[0]).": {$verdicts[0]->finding->message}",
            '',
            '  ',
        );
        $lines[0] = $this->styles->apply('unknown', 'unknown').substr($lines[0] ?? '', strlen('unknown'));

        return array_merge(
            $lines,
            $this->commands($verdicts[0]),
            [''],
        );
    }

    /** @return list<string> */
    private function commands(Verdict $verdict): array
    {
        return array_map(
            fn (string $command): string => $this->styles->apply('command', '    $ '.TerminalText::line($command)),
            $verdict->finding->fix->commands ?? [],
        );
    }

    private function heading(Verdict $verdict): string
    {
        $severity = $verdict->rule->severity->value;

        return $this->styles->apply($severity, strtoupper($severity)." {$verdict->rule->id}")
            .$this->styles->apply('heading', '  '.TerminalText::line($verdict->rule->title).self::subject($verdict));
    }

    private function short(Verdict $verdict): string
    {
        $word = self::word($verdict->finding->status);

        return $this->styles->apply($word, $word)
            ." {$verdict->rule->id}".self::subject($verdict)
            .': '.TerminalText::line($verdict->finding->message);
    }

    private static function subject(Verdict $verdict): string
    {
        return $verdict->finding->subject === '' ? '' : TerminalText::line(" ({$verdict->finding->subject})");
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
