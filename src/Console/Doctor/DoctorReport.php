<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Support\TerminalText;

use function array_map;
use function array_merge;
use function explode;
use function implode;
use function max;
use function sprintf;
use function str_pad;
use function strlen;
use function strtoupper;
use function wordwrap;

/**
 * Formats a diagnosis for a terminal of 80 columns.
 *
 * @internal
 */
final readonly class DoctorReport
{
    private const WIDTH = 78;

    public function __construct(private Report $diagnosis, private bool $all) {}

    /** @return list<string> */
    public function lines(): array
    {
        $lines = [];
        $unknown = [];

        foreach ($this->diagnosis->results as $verdict) {
            if ($verdict->finding->status === Status::Unknown) {
                $unknown[$verdict->finding->message.implode(' ', $verdict->finding->fix->commands ?? [])][] = $verdict;
            }
        }

        foreach ($this->diagnosis->results as $verdict) {
            array_push($lines, ...match ($verdict->finding->status) {
                Status::Warn, Status::Fail => self::problem($verdict),
                Status::Crashed => [self::short($verdict), ''],
                Status::Unknown, Status::Pass, Status::Skipped => [],
            });
        }

        // Checks that are unknown for the same reason share one entry.
        foreach ($unknown as $verdicts) {
            array_push($lines, ...self::unknown($verdicts));
        }

        foreach ($this->all ? $this->diagnosis->results : [] as $verdict) {
            if ($verdict->finding->status === Status::Pass || $verdict->finding->status === Status::Skipped) {
                array_push($lines, self::short($verdict), ...self::commands($verdict));
            }
        }

        return [...$lines, ...(new Summary($this->diagnosis))->lines()];
    }

    /**
     * @param array{come: list<string>, gone: list<string>} $changes
     * @return list<string>
     */
    public function changes(array $changes): array
    {
        $lines = [];

        foreach (['come' => 'New', 'gone' => 'Gone'] as $kind => $word) {
            if ($changes[$kind] !== []) {
                $lines[] = "{$word} since that report: ".implode(', ', $changes[$kind]).'.';
            }
        }

        return $lines === [] ? ['Nothing has changed since that report.'] : $lines;
    }

    /** @return list<string> */
    private static function problem(CheckResult $verdict): array
    {
        $finding = $verdict->finding;
        $lines = [self::heading($verdict), ...self::wrapped($finding->message, '  ')];
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
            array_push($lines, ...self::wrapped("Fix: {$fix[0]}", '  '));

            // Never wrapped, so that the user can copy the lines.
            foreach (array_slice($fix, 1) as $line) {
                $lines[] = '  '.self::copyable($line);
            }

            if ($finding->fix->rollback !== '') {
                array_push($lines, ...self::wrapped("Undo: {$finding->fix->rollback}", '  '));
            }
        }

        return [...$lines, ''];
    }

    /** Keeps tabs, which configuration files use and which are harmless to a terminal. */
    private static function copyable(string $line): string
    {
        return implode("\t", array_map(TerminalText::line(...), explode("\t", $line)));
    }

    /**
     * @param non-empty-list<CheckResult> $verdicts with the same reason
     * @return list<string>
     */
    private static function unknown(array $verdicts): array
    {
        $ids = implode(
            ' ',
            array_unique(array_map(static fn (CheckResult $verdict): string => $verdict->check->id, $verdicts)),
        );

        return array_merge(
            self::wrapped("unknown {$ids}".self::subject($verdicts[0]).": {$verdicts[0]->finding->message}", '', '  '),
            self::commands($verdicts[0]),
            [''],
        );
    }

    /** @return list<string> */
    private static function commands(CheckResult $verdict): array
    {
        return array_map(
            static fn (string $command): string => '    $ '.TerminalText::line($command),
            $verdict->finding->fix->commands ?? [],
        );
    }

    private static function heading(CheckResult $verdict): string
    {
        return sprintf(
            '%s %s  %s%s',
            strtoupper($verdict->check->severity->value),
            $verdict->check->id,
            $verdict->check->title,
            self::subject($verdict),
        );
    }

    private static function short(CheckResult $verdict): string
    {
        return TerminalText::line(sprintf(
            '%s %s%s: %s',
            $verdict->finding->status->value,
            $verdict->check->id,
            self::subject($verdict),
            $verdict->finding->message,
        ));
    }

    private static function subject(CheckResult $verdict): string
    {
        return $verdict->finding->subject === '' ? '' : TerminalText::line(" ({$verdict->finding->subject})");
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
