<?php

declare(strict_types=1);

namespace Headroom\Cli;

use Headroom\Load\Histogram;
use Headroom\Load\LoadResult;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Report\Format;
use Headroom\Report\Table;

/**
 * What `load` prints.
 *
 * @internal
 */
final readonly class LoadReport
{
    public function __construct(private Request $request, private Plan $plan) {}

    public function announcement(): string
    {
        $amount = $this->plan->samples === null ? 'for '.Format::seconds($this->plan->seconds ?? 0.0) : Format::count($this->plan->samples).' requests';

        return "{$this->request->method} {$this->request->target->url}: {$amount}, {$this->plan->concurrency} at a time, given up after ".Format::seconds($this->plan->timeout).($this->plan->pause > 0.0 ? ', each '.Format::seconds($this->plan->pause).' after its last answer' : '');
    }

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
            Format::rate($result->requestsPerSecond()).' answered, '.Format::rate($result->succeededPerSecond()).' succeeded, in '.Format::seconds($result->seconds),
            Format::bytes($result->bytes).' of bodies received over '.Format::count($result->connections).' connections',
            'this client used '.Format::share($result->cpuShare).' of one core',
        ];
    }

    public function json(LoadResult $result): string
    {
        return json_encode(
            ['url' => $this->request->target->url, 'method' => $this->request->method] + $result->toArray(),
            JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION,
        );
    }

    /** @return list<string> */
    public function warnings(LoadResult $result): array
    {
        $warnings = [];

        if ($result->isClientLimited()) {
            $warnings[] = 'This client used '.Format::share($result->cpuShare).' of one core: the figures may show its own limit, not the server\'s.';
        }

        if ($result->resent > 0) {
            $warnings[] = Format::count($result->resent).' requests went out more than once: the server closed kept connections without an answer, and libcurl sent them again.';
        }

        if ($result->stoppedEarly) {
            $warnings[] = 'The run was stopped before its end.';
        }

        return $warnings;
    }

    private function counts(LoadResult $result): Table
    {
        $table = Table::of(['requests', 'count', 'share']);
        $share = static fn (int $count): string => $result->sent() === 0 ? '' : Format::share($count / $result->sent());
        $rows = [
            'succeeded' => $result->succeeded(),
            'HTTP errors' => $result->count(Outcome::HttpError),
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
        $table = Table::of(['errors', 'count']);

        foreach ($result->statuses as $status => $count) {
            if ($status >= $this->plan->failFrom) {
                $table = $table->with("  status {$status}", Format::count($count));
            }
        }

        foreach ($result->failures as $failure) {
            $table = $table->with("  {$failure->failure->words()}", Format::count($failure->count));
        }

        return $table->isEmpty() ? [] : [...$table->lines(), ''];
    }

    private function latencies(LoadResult $result): Table
    {
        $table = $this->latency(Table::of(['milliseconds', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max']), 'succeeded', $result->latencySucceeded());

        if ($result->count(Outcome::HttpError) > 0) {
            $table = $this->latency($table, 'answered', $result->latency());
        }

        return $result->count(Outcome::Timeout) > 0 ? $this->latency($table, 'with timeouts', $result->latencyWithTimeouts()) : $table;
    }

    private function latency(Table $table, string $name, Histogram $histogram): Table
    {
        $percentiles = array_map(static fn (float $percent): string => Format::millis($histogram->percentile($percent)), [50.0, 90.0, 95.0, 99.0, 99.9]);

        return $table->with("  {$name}", Format::millis($histogram->mean()), ...$percentiles, ...[Format::millis($histogram->max())]);
    }
}
