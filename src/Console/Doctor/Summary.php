<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Console\TerminalStyles;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Doctor\Status;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;

/**
 * The end of a report, which is still visible when the findings have scrolled away.
 *
 * @internal
 */
final readonly class Summary
{
    private const WIDTH = 78;

    /** This many findings fit on a screen, so they need no list. */
    private const MAX_UNLISTED = 3;

    private TerminalStyles $styles;

    public function __construct(private Report $report, ?TerminalStyles $styles = null)
    {
        $this->styles = $styles ?? TerminalStyles::none();
    }

    /** @return non-empty-list<string> */
    public function lines(): array
    {
        $problems = $this->report->problems();

        return [
            ...(count($problems) > self::MAX_UNLISTED
                ? [$this->styles->apply('heading', 'Summary, most urgent first'), ...$this->list($problems), '']
                : []),
            $this->counts(),
            ...($problems === [] ? [] : ["Explain a check: --explain={$problems[0]->check->id}"]),
        ];
    }

    /**
     * @param list<CheckResult> $problems
     * @return list<string>
     */
    private function list(array $problems): array
    {
        $byCheck = [];

        foreach ($problems as $result) {
            $byCheck[$result->check->id][] = $result;
        }

        return array_map(function (array $same): string {
            $check = $same[0]->check;
            $times = count($same) === 1 ? '' : sprintf(' (%d times)', count($same));

            $line = Utf8Cut::fit(
                sprintf(
                    '  %-8s %-4s %s',
                    strtoupper($check->severity->value),
                    $check->id,
                    TerminalText::line($check->title),
                ),
                self::WIDTH - strlen($times),
            );
            $severity = strlen(sprintf('  %-8s', $check->severity->value));

            return $this->styles->apply($check->severity->value, substr($line, 0, $severity))
                .substr($line, $severity).$times;
        }, array_values($byCheck));
    }

    /** How many
 checks ended in which way. */
    public function counts(): string
    {
        $problems = $this->report->problems();
        $words = [
            TerminalText::count(count($problems), 'finding')
                .(count($problems) > 1 ? ' ('.implode(', ', self::severities($problems)).')' : ''),
        ];

        foreach ([
            Status::Pass->value => 'passed',
            Status::Unknown->value => 'unknown',
            Status::Skipped->value => 'not applicable',
            Status::Crashed->value => 'crashed',
        ] as $status => $word) {
            $count = $this->report->count(Status::from($status));

            if ($count > 0) {
                $words[] = "{$count} {$word}";
            }
        }

        return implode(', ', $words).'.';
    }

    /**
     * @param list<CheckResult> $problems
     * @return list<string>
     */
    private static function severities(array $problems): array
    {
        $words = [];

        foreach (Severity::cases() as $severity) {
            $count = count(array_filter(
                $problems,
                static fn (CheckResult $result): bool => $result->check->severity === $severity,
            ));

            if ($count > 0) {
                $words[] = "{$count} {$severity->value}";
            }
        }

        return $words;
    }
}
