<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\Metrics\Histogram;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Report\Format;
use Headroom\Report\TextTable;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;

/**
 * The end-of-test summary: the figures of a run as tables for a terminal.
 *
 * @internal
 */
final readonly class LoadSummary
{
    private const WIDTH = 78;

    /** Longest printed name of a step, so that its line fits a terminal. */
    private const NAME_WIDTH = 24;

    public function __construct(private Workload $workload, private Plan $plan) {}

    /** @return list<string> */
    public function lines(LoadResult $result): array
    {
        return [
            '',
            ...$this->counts($result)->lines(),
            '',
            ...$this->errors($result),
            ...$this->latencies($result)->lines(),
            '',
            ...$this->iterations($result),
            ...$this->schedule($result),
            ...$this->replay($result),
            self::throughput($result),
            Format::bytes($result->bytes).' of bodies received over '.self::counted($result->connections, 'connection'),
            'the load generator used '.Format::share($result->cpuShare).' of one CPU core'
                .($this->workload->processes === 1 ? '' : " in {$this->workload->processes} processes"),
        ];
    }

    private static function throughput(LoadResult $result): string
    {
        if ($result->requestsPerSecond() <= 0.0) {
            return 'no response within '.Format::seconds($result->seconds);
        }

        return self::number($result->requestsPerSecond()).' responses/s, '
            .self::number($result->succeededPerSecond()).' successful/s, in '.Format::seconds($result->seconds);
    }

    private static function number(float $perSecond): string
    {
        return rtrim(Format::rate($perSecond), '/s');
    }

    public static function counted(int $count, string $unit): string
    {
        return Format::count($count)." {$unit}".($count === 1 ? '' : 's');
    }

    private function counts(LoadResult $result): TextTable
    {
        $table = TextTable::of(['requests', 'count', 'share']);
        $share = static fn (int $count): string => $result->sent() === 0 ? '' : Format::share($count / $result->sent());
        $rows = [
            'succeeded' => $result->succeeded(),
            'HTTP errors' => $result->count(Outcome::HttpError),
            ...($this->plan->expected?->body === null
                ? []
                : ['wrong responses' => $result->count(Outcome::WrongResponse)]),
            'timeouts' => $result->count(Outcome::Timeout),
            'connect errors' => $result->count(Outcome::ConnectError),
            'other errors' => $result->count(Outcome::OtherError),
            'unfinished' => $result->unfinished,
        ];

        foreach ($rows as $name => $count) {
            $table = $table->with("  {$name}", Format::count($count), $share($count));
        }

        return $table->with('sent', Format::count($result->sent()));
    }

    /** @return list<string> */
    private function errors(LoadResult $result): array
    {
        $table = TextTable::of(['errors', 'count']);

        foreach ($result->statuses as $status => $count) {
            if (! $this->plan->accepts($status)) {
                $table = $table->with("  status {$status}", Format::count($count));
            }
        }

        foreach ($result->failures as $failure) {
            $table = $table->with("  {$failure->failure->label()}", Format::count($failure->count));
        }

        return $table->isEmpty() ? [] : [...$table->lines(), '', ...self::firsts($result)];
    }

    /** @return list<string> the message of the first failure of each kind, if it says more than the name of the kind */
    private static function firsts(LoadResult $result): array
    {
        $lines = [];

        foreach ($result->failures as $failure) {
            if ($failure->failure->label() !== $failure->message) {
                $text = wordwrap(TerminalText::line("{$failure->failure->label()}: {$failure->message}"), self::WIDTH);
                array_push($lines, ...explode("\n", $text), ...['']);
            }
        }

        return $lines;
    }

    private function latencies(LoadResult $result): TextTable
    {
        $table = $this->latency(
            TextTable::of(['milliseconds', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max']),
            'succeeded',
            $result->latencySucceeded(),
        );

        if ($result->count(Outcome::HttpError) + $result->count(Outcome::WrongResponse) > 0) {
            $table = $this->latency($table, 'all responses', $result->latency());
        }

        if ($result->count(Outcome::Timeout) > 0) {
            $table = $this->latency($table, 'with timeouts', $result->latencyWithTimeouts());
        }

        return $result->schedule === null ? $table : $this->latency($table, 'since sent', $result->serviceTime());
    }

    /** @return list<string> */
    private function iterations(LoadResult $result): array
    {
        if ($result->iterations === null) {
            return [];
        }

        $table = TextTable::of(['steps', 'sent', 'errors', 'mean', 'p50', 'p95', 'p99', 'max']);

        foreach ($result->iterations->steps as $step) {
            $percentiles = array_map(
                static fn (float $percent): string => Format::millis($step->latency->percentile($percent)),
                [50.0, 95.0, 99.0],
            );
            $name = Utf8Cut::fit(mb_scrub($step->name, 'UTF-8'), self::NAME_WIDTH);
            $table = $table->with(
                "  {$name}",
                Format::count($step->sent),
                Format::count(array_sum($step->errors)),
                Format::millis($step->latency->mean()),
                ...$percentiles,
                ...[Format::millis($step->latency->max())],
            );
        }

        $iterations = $result->iterations;

        return [
            ...$table->lines(),
            '',
            self::counted($iterations->begun, 'iteration').': '.Format::count($iterations->completed).' completed, '
                .Format::count($iterations->failed).' failed at a step, '
                .Format::count($iterations->unfinished()).' unfinished',
        ];
    }

    /** @return list<string> */
    private function replay(LoadResult $result): array
    {
        if ($result->log === null) {
            return [];
        }

        return [
            self::counted($result->log->lines, 'line').' of the log read, '.Format::count($result->log->requests)
                .' of them with GET or HEAD',
            ...($result->log->leftOut === [] ? [] : ['not sent: '.self::listed($result->log->leftOut)]),
            ...($result->log->unreadable === [] ? [] : ['not parsed: '.self::listed($result->log->unreadable)]),
        ];
    }

    /** @param array<string, int> $counts */
    private static function listed(array $counts): string
    {
        return implode(
            ', ',
            array_map(
                static fn (string $what, int $count): string => Format::count($count)." {$what}",
                array_keys($counts),
                $counts,
            ),
        );
    }

    /** @return list<string> */
    private function schedule(LoadResult $result): array
    {
        $schedule = $result->schedule;

        return $schedule === null ? [] : [
            ($this->workload->scenario === null ? 'times start' : 'times of the first step start')
                .' when a request was due; "since sent" starts when it was sent',
            Format::count($schedule->late).' started more than 10 ms late, '.Format::count($schedule->dropped)
                .' were dropped; 99 % started within '.Format::millis($schedule->delay->percentile(99)).' ms',
        ];
    }

    private function latency(TextTable $table, string $name, Histogram $histogram): TextTable
    {
        $percentiles = array_map(
            static fn (float $percent): string => Format::millis($histogram->percentile($percent)),
            [50.0, 90.0, 95.0, 99.0, 99.9],
        );

        return $table->with(
            "  {$name}",
            Format::millis($histogram->mean()),
            ...$percentiles,
            ...[Format::millis($histogram->max())],
        );
    }
}
