<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use DateTimeInterface;
use Headroom\Core\Clock;
use Headroom\Load\ClientLimit;
use Headroom\Load\Histogram;
use Headroom\Load\LoadResult;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Stage;
use Headroom\Load\Threshold;
use Headroom\Report\Format;
use Headroom\Report\ReportPage;
use Headroom\Report\Table;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;

/**
 * The output of `load`.
 *
 * @internal
 */
final readonly class LoadReport
{
    /** The percentiles of the report's chart. */
    private const PERCENTS = [0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 97.5, 99.0, 99.5, 99.9, 99.95, 99.99, 100.0];

    private const WIDTH = 78;

    /** Width of a step's name, so that the line fits a terminal. */
    private const NAME_WIDTH = 24;

    private const URL_WIDTH = 120;

    /** An error rate above this is a fault in most services. */
    private const FEW_ERRORS = 0.01;

    /** @param list<Threshold> $thresholds */
    public function __construct(
        private Workload $workload,
        private Plan $plan,
        private array $thresholds,
        private Clock $clock,
    ) {}

    public function announcement(): string
    {
        $amount = match (true) {
            $this->plan->requests !== null => self::counted($this->plan->requests, $this->unit()).', ',
            $this->plan->seconds !== null => 'for '.Format::seconds($this->plan->seconds).', ',
            default => '',
        };
        $pause = $this->plan->pause > 0.0 ? ', pause '.Format::seconds($this->plan->pause) : '';
        $processes = $this->workload->processes === 1 ? '' : ", from {$this->workload->processes} processes";

        return "{$this->workload->title()}: {$amount}{$this->model()}, timeout "
            .Format::seconds($this->plan->timeout).$pause.$processes;
    }

    private function model(): string
    {
        if ($this->plan->stages === null) {
            return ($this->plan->isOpen ? 'at most ' : '')."{$this->plan->concurrency} at a time";
        }

        $stages = array_map(
            static fn (Stage $stage): string => self::plain($stage->from)
                .($stage->from === $stage->to ? '' : ' to '.self::plain($stage->to)),
            $this->plan->stages->stages,
        );

        return implode(', then ', $stages)
            .($this->plan->isOpen
                ? " {$this->unit()}s per second, at most {$this->plan->concurrency} ".$this->present()
                : ' users');
    }

    /** The unit that a rate schedules and counts. */
    private function unit(): string
    {
        return $this->workload->scenario === null ? 'request' : 'iteration';
    }

    /** The unit that --concurrency limits. In a scenario, a user who pauses between two steps counts as well. */
    private function present(): string
    {
        return $this->workload->scenario === null ? 'in flight' : 'under way';
    }

    private static function counted(int $count, string $unit): string
    {
        return Format::count($count)." {$unit}".($count === 1 ? '' : 's');
    }

    private static function plain(float $number): string
    {
        // 9 is the number of decimals that an option may have.
        return rtrim(rtrim(number_format($number, 9, '.', ''), '0'), '.');
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
            ...$this->journeys($result),
            ...$this->punctuality($result),
            ...$this->replayed($result),
            Format::rate($result->requestsPerSecond()).' answered, '.Format::rate($result->succeededPerSecond())
                .' succeeded, in '.Format::seconds($result->seconds),
            Format::bytes($result->bytes).' of bodies received over '.self::counted($result->connections, 'connection'),
            ($this->workload->processes === 1
                ? 'this client used '
                : "the {$this->workload->processes} processes of this client used ")
                .Format::share($result->cpuShare).' of one core',
        ];
    }

    public function json(LoadResult $result): string
    {
        return json_encode(
            $this->document($result),
            JSON_THROW_ON_ERROR
                | JSON_PRETTY_PRINT
                | JSON_UNESCAPED_SLASHES
                | JSON_INVALID_UTF8_SUBSTITUTE
                | JSON_PRESERVE_ZERO_FRACTION,
        );
    }

    /** The report of the run as a page of its own. */
    public function html(LoadResult $result): string
    {
        $latency = $result->latencyWithTimeouts();
        $percentiles = array_map(
            static fn (float $percent): array => [$percent, $latency->percentile($percent)],
            self::PERCENTS,
        );

        return ReportPage::html('Load', $this->document($result) + [
            'title' => $this->workload->title(),
            'percentiles' => $percentiles,
            'losses' => $this->losses($result),
            'breaches' => $this->breaches($result),
        ]);
    }

    /** @return array<string, mixed> see docs/load.md */
    private function document(LoadResult $result): array
    {
        $figures = $result->toArray();

        return [
            'url' => $this->workload->url,
            'method' => $this->workload->method,
            'plan' => $this->plan->toArray() + $this->workload->toArray(),
        ]
            + $figures + [
                'finished_at' => $this->clock->now()->format(DateTimeInterface::ATOM),
                'warnings' => $this->warnings($result),
                'thresholds' => array_map(static fn (Threshold $threshold): array => [
                    'threshold' => $threshold->text,
                    'seen' => $threshold->seen($result),
                    'crossed' => $threshold->isCrossed($result),
                ], $this->thresholds),
            ];
    }

    /** @return list<string> messages about processes whose figures are missing */
    public function losses(LoadResult $result): array
    {
        return array_map(
            static fn (string $lost): string
                => "{$lost}. The result is incomplete: the requests of that process are missing.",
            $result->lost,
        );
    }

    /** @return list<string> a message for each crossed threshold */
    public function breaches(LoadResult $result): array
    {
        $crossed = array_filter(
            $this->thresholds,
            static fn (Threshold $threshold): bool => $threshold->isCrossed($result),
        );

        return array_map(
            static fn (Threshold $threshold): string => "Threshold {$threshold->text} was crossed: "
                .self::seen($threshold, $result).'.',
            array_values($crossed),
        );
    }

    private static function seen(Threshold $threshold, LoadResult $result): string
    {
        $seen = $threshold->seen($result);

        return match (true) {
            $seen === null => 'there was no response',
            $threshold->isShare() => Format::share($seen).' was seen',
            $threshold->isTime() => Format::millis($seen).' ms was seen',
            default => self::plain(round($seen, 3)).' was seen',
        };
    }

    /** @return list<string> */
    public function warnings(LoadResult $result): array
    {
        $warnings = [];

        foreach ($result->clientLimits() as $limit) {
            $warnings[] = match ($limit) {
                ClientLimit::Cpu => ($this->workload->processes === 1
                    ? 'This client used '
                    : 'A process of this client used ')
                    .Format::share($result->busiest)
                    .' of one core: the figures may show its own limit, not the server\'s.',
                ClientLimit::LateStarts => $this->late($result).': this client did not keep up with the rate.',
                ClientLimit::LocalPorts => 'Some connections found no free local port: a closed connection keeps its '
                    .'port for a minute (TIME_WAIT). Enable keep-alive on the server, or allow more ports: '
                    .'sysctl -w net.ipv4.ip_local_port_range="1024 65535"',
            };
        }

        if ($result->isLate() && ! in_array(ClientLimit::LateStarts, $result->clientLimits(), true)) {
            $warnings[] = $this->late($result)
                .": {$this->plan->concurrency} were {$this->present()}, the most that --concurrency allows.";
        }

        if ($result->server === LoadResult::BUILT_IN_SERVER) {
            $warnings[] = "The server is PHP's built-in one, as 'php artisan serve' starts it, which is for"
                .' development. '
                .'Measure nginx and PHP-FPM, or the server of your production.';
        }

        $elsewhere = $result->leadsElsewhere();

        if ($elsewhere !== null) {
            $warnings[] = 'Every response is a redirect'
                .($elsewhere === '' ? '' : ' (the first to '.TerminalText::name($elsewhere, self::URL_WIDTH).')')
                .', and load does not follow redirects. Give the address of the target, or --expect-status to measure'
                .' the '
                .'redirect itself.';
        }

        $others = array_filter($this->thresholds, static fn (Threshold $threshold): bool => ! $threshold->isOfErrors());

        if ($this->thresholds === $others && $others !== [] && $result->errorRate() > self::FEW_ERRORS) {
            $warnings[] = Format::share($result->errorRate()).' of the requests failed, and no threshold limits errors:'
                .' add one such as http_req_failed<1%.';
        }

        if ($result->resent > 0) {
            $warnings[] = self::counted($result->resent, 'request')
                .' sent again: the server closed a kept-alive connection without a response, and load repeats such a '
                .'request, as browsers do.';
        }

        if ($result->stoppedEarly) {
            $warnings[] = 'The run was stopped before its end.';
        }

        if ($result->log?->trouble !== null) {
            $warnings[] = $result->log->trouble;
        }

        return $warnings;
    }

    private function late(LoadResult $result): string
    {
        return self::counted($result->schedule->late ?? 0, $this->unit()).' began more than 10 ms late, and '
            .Format::count($result->schedule->dropped ?? 0).' were dropped';
    }

    private function counts(LoadResult $result): Table
    {
        $table = Table::of(['requests', 'count', 'share']);
        $share = static fn (int $count): string => $result->sent() === 0 ? '' : Format::share($count / $result->sent());
        $rows = [
            'succeeded' => $result->succeeded(),
            'HTTP errors' => $result->count(Outcome::HttpError),
            ...($this->plan->expected?->body === null
                ? []
                : ['wrong responses' => $result->count(Outcome::WrongAnswer)]),
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
            if (! $this->plan->accepts($status)) {
                $table = $table->with("  status {$status}", Format::count($count));
            }
        }

        foreach ($result->failures as $failure) {
            $table = $table->with("  {$failure->failure->words()}", Format::count($failure->count));
        }

        return $table->isEmpty() ? [] : [...$table->lines(), '', ...self::firsts($result)];
    }

    /** @return list<string> the message of the first failure of each kind, if it says more than the name of the kind */
    private static function firsts(LoadResult $result): array
    {
        $lines = [];

        foreach ($result->failures as $failure) {
            if ($failure->failure->words() !== $failure->message) {
                $text = wordwrap(TerminalText::line("{$failure->failure->words()}: {$failure->message}"), self::WIDTH);
                array_push($lines, ...explode("\n", $text), ...['']);
            }
        }

        return $lines;
    }

    private function latencies(LoadResult $result): Table
    {
        $table = $this->latency(
            Table::of(['milliseconds', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max']),
            'succeeded',
            $result->latencySucceeded(),
        );

        if ($result->count(Outcome::HttpError) + $result->count(Outcome::WrongAnswer) > 0) {
            $table = $this->latency($table, 'answered', $result->latency());
        }

        if ($result->count(Outcome::Timeout) > 0) {
            $table = $this->latency($table, 'with timeouts', $result->latencyWithTimeouts());
        }

        return $result->schedule === null ? $table : $this->latency($table, 'since begun', $result->serviceTime());
    }

    /** @return list<string> */
    private function journeys(LoadResult $result): array
    {
        if ($result->journeys === null) {
            return [];
        }

        $table = Table::of(['steps', 'sent', 'errors', 'mean', 'p50', 'p95', 'p99', 'max']);

        foreach ($result->journeys->steps as $step) {
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

        $journeys = $result->journeys;

        return [
            ...$table->lines(),
            '',
            self::counted($journeys->begun, 'iteration').': '.Format::count($journeys->completed).' completed, '
                .Format::count($journeys->failed).' failed at a step, '
                .Format::count($journeys->begun - $journeys->completed - $journeys->failed).' unfinished',
        ];
    }

    /** @return list<string> */
    private function replayed(LoadResult $result): array
    {
        if ($result->log === null) {
            return [];
        }

        return [
            self::counted($result->log->lines, 'line').' read of the log, '.Format::count($result->log->requests)
                .' of them GET or HEAD',
            ...($result->log->leftOut === [] ? [] : ['left out: '.self::listed($result->log->leftOut)]),
            ...($result->log->unreadable === [] ? [] : ['not read: '.self::listed($result->log->unreadable)]),
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
    private function punctuality(LoadResult $result): array
    {
        $schedule = $result->schedule;

        return $schedule === null ? [] : [
            ($this->workload->scenario === null ? 'times run' : 'times of the first step run')
                .' from the moment at which a request was due; "since begun" from the moment at which it was sent',
            Format::count($schedule->late).' began more than 10 ms late, '.Format::count($schedule->dropped)
                .' were dropped; 99 % began within '.Format::millis($schedule->delay->percentile(99)).' ms',
        ];
    }

    private function latency(Table $table, string $name, Histogram $histogram): Table
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
