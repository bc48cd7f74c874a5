<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\MissingData;
use Headroom\Doctor\UnderLoad\RecordingSeries;
use Headroom\Doctor\UnderLoad\TimeSeries;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Columns;
use Headroom\Report\Page\Line;
use Headroom\Report\Page\LineChart;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * The section on a run under load: the cause, its evidence, and charts over a common time axis.
 *
 * @internal
 */
final readonly class UnderLoadSection
{
    public static function of(LoadDiagnosis $underLoad, Report $report): Section
    {
        $cause = $underLoad->cause;
        $tone = $cause->severity->isAtLeast(Severity::High) ? Tone::Alert : Tone::Plain;
        $charts = self::charts($underLoad);

        return new Section('live', 'Under load', [
            Paragraph::lead($cause->sentence, $tone),
            Paragraph::note("Cause: {$cause->bottleneck->value}, severity {$cause->severity->value}."),
            ...($charts === [] ? [] : [new Columns($charts)]),
            ...($cause->evidence === [] ? [] : [DoctorPage::evidence($cause->evidence)]),
            ...array_map(
                static fn (Cause $other): Paragraph => new Paragraph("Also: {$other->sentence}"),
                $underLoad->others,
            ),
            ...array_merge(...array_map(self::missing(...), $underLoad->missingData())),
            new Paragraph(($underLoad->explainedBy($report) === null ? 'Fix: ' : '').$underLoad->advice($report)),
        ], $tone);
    }

    /** @return list<Block> */
    private static function missing(MissingData $missing): array
    {
        return [
            new Paragraph("Unknown: {$missing->what}: {$missing->reason}"),
            ...($missing->command === '' ? [] : [new Code($missing->command)]),
        ];
    }

    /** @return list<LineChart> */
    private static function charts(LoadDiagnosis $underLoad): array
    {
        $allSeries = (new RecordingSeries($underLoad->recording))->series();

        return array_map(static function (TimeSeries $series, int $number): LineChart {
            [$title, $unit] = match (true) {
                str_ends_with($series->what, ', ms') => [substr($series->what, 0, -4), Unit::Millis],
                str_ends_with($series->what, ', %') => [substr($series->what, 0, -3), Unit::Percent],
                default => [$series->what, Unit::Count],
            };
            $points = array_map(
                static fn (array $point): array => [round(max(0.0, $point[0]), 3), $point[1]],
                $series->points,
            );

            return new LineChart("live-{$number}", ucfirst($title), '', Unit::Seconds, $unit, [
                new Line($title, $points, color: $number % 8),
            ]);
        }, $allSeries, array_keys($allSeries));
    }
}
