<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Columns;
use Headroom\Report\Page\Facts;
use Headroom\Report\Page\Line;
use Headroom\Report\Page\LineChart;
use Headroom\Report\Page\Mark;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * One stage: what was changed, what the doctor said, response times and Redis over time.
 */
final readonly class StageSection
{
    /** A chart of more points is a blot. */
    private const POINTS = 40;

    /** @param array<string, mixed> $row of the results */
    public function __construct(private int $number, private Stage $stage, private array $row) {}

    public function section(): Section
    {
        return new Section($this->stage->value, "{$this->number}. {$this->stage->title()}", [
            new Paragraph("{$this->stage->words()} CPU: {$this->row['quota']}."),
            new Facts(array_map(
                null,
                ['errors', 'mean', 'p95', 'Redis clients, at most', 'new connections/s', 'CPUs busy'],
                LoadWords::of($this->row['load']),
            )),
            ...$this->doctor(),
            new Columns([$this->times(), $this->redis()]),
        ], $this->row['judged']['right'] ? Tone::Plain : Tone::Alert);
    }

    /** @return list<Block> */
    private function doctor(): array
    {
        $doctor = $this->row['doctor'];
        $seconds = $doctor['seconds_to_cause'] === null ? '' : sprintf(' After %.0f s.', $doctor['seconds_to_cause']);
        $judged = $this->row['judged']['right']
            ? []
            : [new Paragraph("That is wrong here: {$this->row['judged']['words']}.", Tone::Alert)];
        $findings = array_map(
            static fn (array $finding): string => "{$finding['id']} ({$finding['severity']}): {$finding['message']}",
            $doctor['findings'],
        );

        return [
            Paragraph::lead('The doctor: '.($doctor['sentence'] ?? 'no live diagnosis').$seconds),
            ...$judged,
            ...($findings === []
                ? [new Paragraph('Its checks found nothing.')]
                : [new Paragraph('Its checks found:'), new BulletList($findings)]),
        ];
    }

    private function times(): LineChart
    {
        [$points, $marks] = [[], []];

        foreach (self::joined($this->row['load']['timeline']) as $slots) {
            $errors = array_sum(array_column($slots, 'errors'));
            $ended = array_sum(array_map(static fn (array $slot): int => $slot['succeeded'] + $slot['errors'], $slots));
            $sum = array_sum(array_map(
                static fn (array $slot): float => ($slot['mean_ms'] ?? 0.0) * ($slot['succeeded'] + $slot['errors']),
                $slots,
            ));
            $mean = $ended === 0 ? null : $sum / $ended;
            $points[] = [$slots[0]['from_s'], $mean];
            $errors === 0
                || $marks[] = new Mark(
                    $slots[0]['from_s'],
                    number_format($errors).' of '.number_format($ended).' failed',
                    $mean,
                );
        }

        return new LineChart(
            "{$this->stage->value}-response-time",
            'Response time',
            sprintf(
                'Mean of the requests that ended then, of %s in all. A gap: none ended. A cross: some of them failed.',
                number_format($this->row['load']['requests']),
            ),
            Unit::Seconds,
            Unit::Millis,
            [new Line('mean', $points)],
            marks: $marks,
            marked: 'with failures',
        );
    }

    private function redis(): LineChart
    {
        [$clients, $new] = [[], []];

        foreach (self::joined($this->row['load']['redis']) as $looks) {
            $clients[] = [$looks[0]['at_s'], max(array_column($looks, 'clients'))];
            $new[] = [$looks[0]['at_s'], array_sum(array_column($looks, 'connections_per_second')) / count($looks)];
        }

        return new LineChart(
            "{$this->stage->value}-redis",
            'Redis',
            'As Redis itself says, asked four times a second.',
            Unit::Seconds,
            Unit::Count,
            [
                new Line('clients', $clients, color: 1),
                new Line('new connections a second', $new, color: 2),
            ],
        );
    }

    /**
     * @param list<array<string, mixed>> $rows
     * @return list<non-empty-list<array<string, mixed>>> at most so many, of neighbours
     */
    private static function joined(array $rows): array
    {
        return $rows === [] ? [] : array_chunk($rows, max(1, (int) ceil(count($rows) / self::POINTS)));
    }
}
