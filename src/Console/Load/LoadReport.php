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
 * What `load` prints.
 *
 * @internal
 */
final readonly class LoadReport
{
    /** Of the report's chart: each halves or tenths what is left above. */
    private const PERCENTS = [0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 97.5, 99.0, 99.5, 99.9, 99.95, 99.99, 100.0];

    private const WIDTH = 78;

    /** Of a step, so that its line is no longer than a terminal. */
    private const NAME_WIDTH = 24;

    private const URL_WIDTH = 120;

    /** A share that is a fault of most services. */
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
        $pause = $this->plan->pause > 0.0 ? ', each '.Format::seconds($this->plan->pause).' after its last answer' : '';
        $processes = $this->workload->processes === 1 ? '' : ", from {$this->workload->processes} processes";

        return "{$this->workload->title()}: {$amount}{$this->model()}, given up after "
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

    /** What is begun when it is due, and counted. */
    private function unit(): string
    {
        return $this->workload->scenario === null ? 'request' : 'iteration';
    }

    /** What --concurrency limits: who thinks has nothing in flight and takes a place. */
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
        // As many as an option may have.
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

    /** @return list<string> what is not in the figures */
    public function losses(LoadResult $result): array
    {
        return array_map(
            static fn (string $lost): string
                => "{$lost}. The result is incomplete: what that process sent is not in it.",
            $result->lost,
        );
    }

    /** @return list<string> one for each threshold that was crossed */
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
            $seen === null => 'no answer to tell it from',
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
                ClientLimit::LocalPorts => 'No local port was left for some connections: closed ones keep theirs for a minute (TIME_WAIT). Have the server keep connections, or allow more: sysctl -w net.ipv4.ip_local_port_range="1024 65535"',
            };
        }

        if ($result->isLate() && ! in_array(ClientLimit::LateStarts, $result->clientLimits(), true)) {
            $warnings[] = $this->late($result)
                .": {$this->plan->concurrency} were {$this->present()}, the most that --concurrency allows.";
        }

        if ($result->server === LoadResult::BUILT_IN_SERVER) {
            $warnings[] = "The answers come from PHP's built-in server, as 'php artisan serve' starts it. It is made for development: measure nginx and PHP-FPM, or what you will run.";
        }

        $elsewhere = $result->leadsElsewhere();

        if ($elsewhere !== null) {
            $warnings[] = 'Every answer is a redirect'
                .($elsewhere === '' ? '' : ' (the first to '.TerminalText::name($elsewhere, self::URL_WIDTH).')')
                .', and load follows none: the figures are those of the redirect. Give the address that it leads to,'
                .' or --expect-status if that is what you measure.';
        }

        $others = array_filter($this->thresholds, static fn (Threshold $threshold): bool => ! $threshold->isOfErrors());

        if ($this->thresholds === $others && $others !== [] && $result->errorRate() > self::FEW_ERRORS) {
            $warnings[] = Format::share($result->errorRate()).' of the requests failed, and no threshold is about that:'
                .' add one such as http_req_failed<1%.';
        }

        if ($result->resent > 0) {
            $warnings[] = self::counted($result->resent, 'request')
                .' went out more than once: the server closed kept connections without an answer, and they were sent again, as browsers do.';
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
            ...($this->plan->expected?->body === null ? [] : ['wrong answers' => $result->count(Outcome::WrongAnswer)]),
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

    /** @return list<string> what was seen of the first failure of each kind, where that says more than its name */
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
            self::counted($journeys->begun, 'iteration').': '.Format::count($journeys->completed).' whole, '
                .Format::count($journeys->failed).' ended at a step that failed, '
                .Format::count($journeys->begun - $journeys->completed - $journeys->failed).' under way in the end',
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
            ...($result->log->leftOut === [] ? [] : ['left out: '.self::told($result->log->leftOut)]),
            ...($result->log->unreadable === [] ? [] : ['not read: '.self::told($result->log->unreadable)]),
        ];
    }

    /** @param array<string, int> $counts */
    private static function told(array $counts): string
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
                .' from when a request was due; "since begun" from when it was sent',
            Format::count($schedule->late).' began more than 10 ms late, '.Format::count($schedule->dropped)
                .' never; 99 % within '.Format::millis($schedule->delay->percentile(99)).' ms',
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
