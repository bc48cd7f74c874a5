<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Closure;
use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Benchmarks\Chart\Axis;
use Headroom\Benchmarks\Chart\Band;
use Headroom\Benchmarks\Chart\LineChart;
use Headroom\Benchmarks\Chart\Marker;
use Headroom\Benchmarks\Chart\Point;
use Headroom\Benchmarks\Chart\Series;
use Headroom\Benchmarks\Html;

/**
 * One stage: what was changed, response times and Redis over time, and what the doctor said.
 */
final readonly class StageSection
{
    /** A chart of more points is a blot. */
    private const POINTS = 40;

    /** @param array<string, mixed> $row of the results */
    public function __construct(private Stage $stage, private array $row) {}

    public function draw(): Html
    {
        $doctor = $this->row['doctor'];
        $seconds = $doctor['seconds_to_cause'] === null ? '' : sprintf(' After %.0f s.', $doctor['seconds_to_cause']);

        return Html::element('section', ['id' => $this->stage->value, 'class' => $this->row['judged']['right'] ? null : 'missed'],
            Html::element('h2', [], $this->stage->title()),
            Html::element('p', [], "{$this->stage->words()} CPU: {$this->row['quota']}."),
            Html::element('p', ['class' => 'lead'], 'The doctor: '.($doctor['sentence'] ?? 'no live diagnosis').$seconds),
            Html::element('p', [], $doctor['findings'] === [] ? 'Its checks found nothing.' : 'Its checks found: '.implode(' ', array_map(static fn (array $finding): string => "{$finding['id']} ({$finding['severity']}) {$finding['message']}", $doctor['findings']))),
            Html::element('div', ['class' => 'pair'], $this->times(), $this->redis()),
        );
    }

    private function times(): Html
    {
        $points = [];

        foreach (self::joined($this->row['load']['timeline']) as $slots) {
            $errors = array_sum(array_column($slots, 'errors'));
            $ended = array_sum(array_map(static fn (array $slot): int => $slot['succeeded'] + $slot['errors'], $slots));
            $sum = array_sum(array_map(static fn (array $slot): float => ($slot['mean_ms'] ?? 0.0) * ($slot['succeeded'] + $slot['errors']), $slots));
            $mean = $ended === 0 ? null : $sum / $ended;
            $points[] = new Point($slots[0]['from_s'], $mean, $mean === null ? 'nothing ended' : sprintf('%.0f ms, %d of %d failed', $mean, $errors, $ended), $errors > 0);
        }

        return $this->figure('Response time', [new Series('mean of what ended; a cross: some of it failed', 'x', Marker::Circle, $points)], static fn (float $millis): string => $millis >= 1000 ? ($millis / 1000).' s' : "{$millis} ms");
    }

    private function redis(): Html
    {
        [$clients, $new] = [[], []];

        foreach (self::joined($this->row['load']['redis']) as $looks) {
            $most = max(array_column($looks, 'clients'));
            $rate = array_sum(array_column($looks, 'connections_per_second')) / count($looks);
            $clients[] = new Point($looks[0]['at_s'], $most, "{$most} clients");
            $new[] = new Point($looks[0]['at_s'], $rate, sprintf('%.0f new connections a second', $rate));
        }

        return $this->figure('Redis', [new Series('clients', 'x', Marker::Circle, $clients), new Series('new connections a second', 'a', Marker::Square, $new)], number_format(...));
    }

    /**
     * @param list<Series> $series
     * @param Closure(float): string $words
     */
    private function figure(string $title, array $series, Closure $words): Html
    {
        $id = "{$this->stage->value}-".strtolower(strtr($title, ' ', '-'));
        $axis = Axis::linear(array_merge(...array_map(static fn (Series $one): array => $one->values(), $series)));
        // The last look at Redis comes after the last answer.
        $end = max(0.1, (float) $this->row['load']['seconds'], ...array_map(static fn (Series $one): float => $one->points === [] ? 0.0 : $one->points[count($one->points) - 1]->x, $series));
        $chart = new LineChart($id, $title, "{$title} over time while {$this->stage->title()} was loaded.", '', [new Band(0.0, $end, number_format($this->row['load']['requests']).' requests')], $series, $axis, $words);

        return Html::element('figure', ['id' => $id], Html::element('figcaption', [], $title), $chart->legend(), $chart->draw());
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
