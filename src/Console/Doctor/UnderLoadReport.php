<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Console\TerminalStyles;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Report;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\MissingData;
use Headroom\Doctor\UnderLoad\RecordingSeries;
use Headroom\Support\TerminalText;

/**
 * Formats a diagnosis under load for a terminal of 80 columns.
 *
 * @internal
 */
final readonly class UnderLoadReport
{
    private const WIDTH = 78;

    private TerminalStyles $styles;

    public function __construct(
        private LoadDiagnosis $underLoad,
        private Report $report,
        ?TerminalStyles $styles = null,
    ) {
        $this->styles = $styles ?? TerminalStyles::none();
    }

    /** @return list<string> */
    public function lines(): array
    {
        $cause = $this->underLoad->cause;
        $explained = $this->underLoad->explainedBy($this->report);

        return [
            '',
            ...array_map(
                fn (string $line): string => $this->styles->apply($cause->severity->value, $line),
                self::wrapped($cause->sentence, ''),
            ),
            '',
            ...self::evidence($cause),
            '',
            ...$this->chart(),
            ...array_merge(...array_map(
                static fn (Cause $other): array => self::wrapped("Also: {$other->sentence}", '  '),
                $this->underLoad->others,
            )),
            ...array_merge(...array_map(
                static fn (CheckResult $result): array => self::wrapped(
                    "Also critical: {$result->check->id}, {$result->finding->message}",
                    '  ',
                ),
                $this->underLoad->otherCriticalResults($this->report),
            )),
            ...array_merge(...array_map($this->missing(...), $this->underLoad->missingData())),
            ...self::wrapped(($explained === null ? 'Fix: ' : '').$this->underLoad->advice($this->report), '  '),
            '',
            sprintf('Cause: %s, found after %.0f s.', $cause->bottleneck->value, $this->underLoad->secondsToCause),
            '',
        ];
    }

    /** @return list<string> */
    private static function evidence(Cause $cause): array
    {
        $width = max([
            0, ...array_map(static fn (Evidence $evidence): int => strlen($evidence->what), $cause->evidence),
        ]);

        return array_map(
            static fn (Evidence $evidence): string => '    '
                .TerminalText::line(str_pad($evidence->what, $width)."  {$evidence->value}  ({$evidence->source})"),
            $cause->evidence,
        );
    }

    /** @return list<string> */
    private function missing(MissingData $missing): array
    {
        return [
            ...self::wrapped("unknown: {$missing->what}: {$missing->reason}", '  ', '    '),
            ...($missing->command === '' ? [] : [
                $this->styles->apply('command', '    $ '.TerminalText::line($missing->command)),
            ]),
        ];
    }

    /** @return list<string> */
    private function chart(): array
    {
        $allSeries = (new RecordingSeries($this->underLoad->recording))->series();
        $end = RecordingSeries::end($allSeries);
        $lines = [];

        foreach ($allSeries as $series) {
            $spark = new Sparkline($series->points, $series->whole, $end);
            $lines[] = '  '.str_pad($series->what, 18)." {$spark->text()} {$spark->top()}";
        }

        return $lines === [] ? [] : [...$lines, '  '.str_pad('', 18).' '.(new Sparkline([], null, $end))->axis(), ''];
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
