<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use DateTimeInterface;
use Headroom\Core\Clock;
use Headroom\Load\Metrics\ClientLimit;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Metrics\Threshold;
use Headroom\Load\Plan;
use Headroom\Load\Stage;
use Headroom\Report\Format;
use Headroom\Report\ReportPage;
use Headroom\Support\TerminalText;

/**
 * The output of `load`.
 *
 * @internal
 */
final readonly class LoadReport
{
    /** The percentiles of the report's chart. */
    private const PERCENTS = [0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 97.5, 99.0, 99.5, 99.9, 99.95, 99.99, 100.0];

    private const URL_WIDTH = 120;

    /** Names of styles by the lines that have them. */
    public const STYLES = [
        '/^(requests|errors|milliseconds|steps) +/' => 'heading',
        '/^  (HTTP errors|wrong responses|timeouts|(connect|other) errors) +[1-9]/' => 'high',
        '/^  status \d+ /' => 'high',
    ];

    /** An error rate above this is a problem in most services. */
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
        $pause = $this->plan->pause > 0.0 ? ', pause '.Format::seconds($this->plan->pause) : '';
        $processes = $this->workload->processes === 1 ? '' : ", from {$this->workload->processes} processes";

        return "{$this->workload->title()}: {$amount}{$this->model()}, timeout "
            .Format::seconds($this->plan->timeout).$pause.$processes;
    }

    private function model(): string
    {
        if ($this->plan->stages === null) {
            return $this->plan->isOpen
                ? "at most {$this->plan->concurrency} in flight"
                : LoadSummary::counted($this->plan->concurrency, 'virtual user');
        }

        $stages = array_map(
            static fn (Stage $stage): string => self::plain($stage->from)
                .($stage->from === $stage->to ? '' : ' to '.self::plain($stage->to)),
            $this->plan->stages->stages,
        );

        return implode(', then ', $stages)
            .($this->plan->isOpen
                ? " {$this->unit()}s per second, at most {$this->plan->concurrency} ".$this->limited()
                : ' virtual users');
    }

    /** The unit that a rate schedules and counts. */
    private function unit(): string
    {
        return $this->workload->scenario === null ? 'request' : 'iteration';
    }

    /** The unit that --concurrency limits. In a scenario, virtual users in a think time count too. */
    private function limited(): string
    {
        return $this->workload->scenario === null ? 'in flight' : 'in an iteration';
    }

    private static function plain(float $number): string
    {
        // 9 is the number of decimals that an option may have.
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
                    'seen' => $threshold->value($result),
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
                .self::observed($threshold, $result).'.',
            array_values($crossed),
        );
    }

    private static function observed(Threshold $threshold, LoadResult $result): string
    {
        $value = $threshold->value($result);

        return match (true) {
            $value === null => 'there was no response',
            $threshold->isShare() => 'it was '.Format::share($value),
            $threshold->isTime() => 'it was '.Format::millis($value).' ms',
            default => 'it was '.self::plain(round($value, 3)),
        };
    }

    /** @return list<string> */
    public function warnings(LoadResult $result): array
    {
        $warnings = [];

        foreach ($result->clientLimits() as $limit) {
            $warnings[] = match ($limit) {
                ClientLimit::Cpu => ($this->workload->processes === 1
                    ? 'The load generator used '
                    : 'A process of the load generator used ')
                    .Format::share($result->busiest)
                    .' of one CPU core: the result may show its limit, not the server\'s.',
                ClientLimit::LateStarts => $this->late($result).': the load generator did not keep up with the rate.',
                ClientLimit::LocalPorts => 'Some connections found no free local port: a closed connection keeps its '
                    .'port for a minute (TIME_WAIT). Enable keep-alive on the server, or allow more ports: '
                    .'sysctl -w net.ipv4.ip_local_port_range="1024 65535"',
            };
        }

        if ($result->isLate() && ! in_array(ClientLimit::LateStarts, $result->clientLimits(), true)) {
            $warnings[] = $this->late($result)
                .": {$this->plan->concurrency} were {$this->limited()}, the limit of --concurrency.";
        }

        if ($result->server === LoadResult::BUILT_IN_SERVER) {
            $warnings[] = "The server is PHP's built-in one, which 'php artisan serve' starts. It is for development:"
                .' measure nginx'
                .' with PHP-FPM, or the server that you use in production.';
        }

        $target = $result->redirectTarget();

        if ($target !== null) {
            $warnings[] = 'Every response is a redirect'
                .($target === '' ? '' : ' (the first to '.TerminalText::name($target, self::URL_WIDTH).')')
                .', and load does not follow redirects. Use the address of the target, or measure the redirect'
                .' itself with'
                .' --expect-status.';
        }

        $others = array_filter(
            $this->thresholds,
            static fn (Threshold $threshold): bool => ! $threshold->limitsErrors(),
        );

        if ($this->thresholds === $others && $others !== [] && $result->errorRate() > self::FEW_ERRORS) {
            $warnings[] = Format::share($result->errorRate()).' of the requests failed, and no threshold limits errors.'
                .' Add one such as http_req_failed<1%.';
        }

        if ($result->resent > 0) {
            $warnings[] = LoadSummary::counted($result->resent, 'request')
                .' sent twice, because the server closed a kept-alive connection without a response. '
                .'Browsers repeat such '
                .'requests too.';
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
        return LoadSummary::counted($result->schedule->late ?? 0, $this->unit()).' started more than 10 ms late, and '
            .Format::count($result->schedule->dropped ?? 0).' were dropped';
    }
}
