<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Doctor\Status;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;

use function array_map;
use function array_values;
use function count;
use function implode;
use function sprintf;
use function strtoupper;

/**
 * The end of a report, which is still visible when the findings have scrolled away.
 *
 * @internal
 */
final readonly class Summary
{
    private const WIDTH = 78;

    /** This many findings fit on a screen, so they need no list. */
    private const FEW = 3;

    public function __construct(private Report $diagnosis) {}

    /** @return non-empty-list<string> */
    public function lines(): array
    {
        $problems = $this->diagnosis->problems();

        return [
            ...(count($problems) > self::FEW
                ? ['In short, the most severe first:', ...self::list($problems), '']
                : []),
            $this->counts($problems),
            ...($problems === [] ? [] : ["Explain a check: --explain={$problems[0]->check->id}"]),
        ];
    }

    /**
     * @param list<CheckResult> $problems
     * @return list<string>
     */
    private static function list(array $problems): array
    {
        $rules = [];

        foreach ($problems as $verdict) {
            $rules[$verdict->check->id][] = $verdict;
        }

        return array_map(static function (array $same): string {
            $rule = $same[0]->check;
            $times = count($same) === 1 ? '' : sprintf(' (%d times)', count($same));

            return Utf8Cut::fit(
                sprintf(
                    '  %-8s %-4s %s',
                    strtoupper($rule->severity->value),
                    $rule->id,
                    TerminalText::line($rule->title),
                ),
                self::WIDTH - strlen($times),
            )
                .$times;
        }, array_values($rules));
    }

    /** @param list<CheckResult> $problems */
    private function counts(array $problems): string
    {
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
            $count = $this->diagnosis->count(Status::from($status));

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
                static fn (CheckResult $verdict): bool => $verdict->check->severity === $severity,
            ));

            if ($count > 0) {
                $words[] = "{$count} {$severity->value}";
            }
        }

        return $words;
    }
}
