<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use DateTimeInterface;
use Headroom\Core\Clock;
use Headroom\Load\ClientLimit;
use Headroom\Load\LoadResult;
use Headroom\Load\Plan;
use Headroom\Load\Stage;
use Headroom\Load\Threshold;
use Headroom\Report\Format;
use Headroom\Report\ReportPage;
use Headroom\Support\TerminalText;

/**
 * What `load` prints.
 *
 * @internal
 */
final readonly class LoadReport
{
    /** Of the report's chart: each halves or tenths what is left above. */
    private const PERCENTS = [0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 97.5, 99.0, 99.5, 99.9, 99.95, 99.99, 100.0];

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
            $this->plan->requests !== null => LoadSummary::counted($this->plan->requests, $this->unit()).', ',
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

    private static function plain(float $number): string
    {
        // As many as an option may have.
        return rtrim(rtrim(number_format($number, 9, '.', ''), '0'), '.');
    }

    /** @return list<string> */
    public function lines(LoadResult $result): array
    {
        return (new LoadSummary($this->workload, $this->plan))->lines($result);
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
            $warnings[] = LoadSummary::counted($result->resent, 'request')
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
        return LoadSummary::counted($result->schedule->late ?? 0, $this->unit()).' began more than 10 ms late, and '
            .Format::count($result->schedule->dropped ?? 0).' were dropped';
    }
}
