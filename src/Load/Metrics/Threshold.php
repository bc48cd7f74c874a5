<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

use Headroom\Load\InvalidPlan;

/**
 * A condition on a metric of the run, in a short form of k6's thresholds: 'p(95)<200', 'http_req_failed<1%',
 * 'http_reqs:rate>100'. The names in the result are metrics too: 'error_rate<1%', 'errors==0'.
 */
final readonly class Threshold
{
    private const FORM = '/\A(?:(?<group>[a-z_]+)\s*:\s*)?(?<metric>[a-z_]+|p\(?(?:100|\d{1,2}(?:\.\d{1,3})?)\)?)'
        .'\s*(?<operator>[<>]=?|===?|!=)\s*(?<number>\d{1,12}(?:\.\d{1,6})?)\s*(?<unit>%|us|ms|s|\/s)?\z/';

    private const PERCENTILE = '/\Ap(\(?)(100|\d{1,2}(?:\.\d{1,3})?)(\)?)\z/';

    private const ALLOWED =
        "a metric, an operator and a limit, such as 'p(95)<200', 'avg<=0.5s', 'http_req_failed<1%', "
            ."'http_reqs:rate>100' or 'errors==0'; docs/load.md lists the metrics";

    private const MICROS = ['us' => 1, 'ms' => 1_000, 's' => 1_000_000];

    /** The names of k6, by metric and aggregation. */
    private const NAMES = [
        'http_req_duration' => ['min' => 'min', 'avg' => 'mean', 'mean' => 'mean', 'med' => 'p50', 'max' => 'max'],
        'http_req_failed' => ['' => 'error_rate', 'rate' => 'error_rate'],
        'http_reqs' => ['count' => 'requests', 'rate' => 'requests_per_second'],
        'dropped_iterations' => ['' => 'dropped', 'count' => 'dropped'],
    ];

    private const COUNTS = ['requests', 'errors', 'late', 'dropped'];

    private const RATES = ['requests_per_second', 'succeeded_per_second'];

    private const TIMES = ['min', 'mean', 'max'];

    private function __construct(
        public string $text,
        private string $metric,
        private string $operator,
        private float $limit,
    ) {}

    /** @throws InvalidPlan */
    public static function parse(string $text): self
    {
        $metric = preg_match(self::FORM, trim($text), $m) === 1 ? self::metric($m['group'], $m['metric']) : null;

        if ($metric === null) {
            throw InvalidPlan::option('threshold', $text, self::ALLOWED);
        }

        $unit = $m['unit'] ?? '';
        $limit = (float) $m['number'];
        $factor = match (true) {
            $metric === 'error_rate' => ['' => 1.0, '%' => 0.01][$unit] ?? null,
            in_array($metric, self::COUNTS, true) => ['' => 1.0][$unit] ?? null,
            in_array($metric, self::RATES, true) => ['' => 1.0, '/s' => 1.0][$unit] ?? null,
            // Milliseconds, as in k6.
            default => self::MICROS[$unit === '' ? 'ms' : $unit] ?? null,
        };

        if ($metric === 'error_rate' && $unit === '' && $limit === 1.0 && in_array($m['operator'], ['<', '<='], true)) {
            throw InvalidPlan::option(
                'threshold',
                $text,
                "a share of requests such as '<1%' or '<0.01': 1 stands for all requests",
            );
        }

        if ($factor === null || ($metric === 'error_rate' && $limit * $factor > 1.0)) {
            $allowed = $metric === 'error_rate' ? "a share of requests such as '<1%' or '<0.01'" : self::ALLOWED;

            throw InvalidPlan::option('threshold', $text, $allowed);
        }

        return new self($text, $metric, $m['operator'], $limit * $factor);
    }

    /** A share, a count, a number per second or microseconds; null if the run has no value for the metric. */
    public function value(LoadResult $result): ?float
    {
        $times = $result->latencyWithTimeouts();
        $percent = self::percent($this->metric);

        return match ($this->metric) {
            'error_rate' => $result->errorRate(),
            'requests' => (float) $result->finished(),
            'errors' => (float) ($result->finished() - $result->succeeded()),
            'late' => (float) ($result->schedule->late ?? 0),
            'dropped' => (float) ($result->schedule->dropped ?? 0),
            'requests_per_second' => $result->requestsPerSecond(),
            'succeeded_per_second' => $result->succeededPerSecond(),
            'min' => self::float($times->min()),
            'mean' => $times->mean(),
            'max' => self::float($times->max()),
            default => $percent === null ? null : self::float($times->percentile($percent)),
        };
    }

    /** A threshold is crossed, too, if the run has no value for its metric. */
    public function isCrossed(LoadResult $result): bool
    {
        $value = $this->value($result);

        return $value === null || ! match ($this->operator) {
            '>' => $value > $this->limit,
            '>=' => $value >= $this->limit,
            '<' => $value < $this->limit,
            '<=' => $value <= $this->limit,
            '!=' => $value !== $this->limit,
            default => $value === $this->limit,
        };
    }

    public function isTime(): bool
    {
        return in_array($this->metric, self::TIMES, true) || self::percent($this->metric) !== null;
    }

    /** Whether only the open model has the metric. */
    public function needsSchedule(): bool
    {
        return in_array($this->metric, ['late', 'dropped'], true);
    }

    /** Whether this threshold catches a run in which every request fails. */
    public function limitsErrors(): bool
    {
        return in_array($this->metric, ['error_rate', 'errors', 'succeeded_per_second'], true);
    }

    public function isShare(): bool
    {
        return $this->metric === 'error_rate';
    }

    /** @return ?string the name of the metric in the result; null if there is no such metric */
    private static function metric(string $group, string $name): ?string
    {
        $percent = self::percent($name);

        return match (true) {
            $percent !== null => $group === '' || $group === 'http_req_duration' ? "p{$percent}" : null,
            $group !== '' => self::NAMES[$group][$name] ?? null,
            isset(self::NAMES[$name]) => self::NAMES[$name][''] ?? null,
            $name === 'error_rate', in_array($name, [...self::COUNTS, ...self::RATES], true) => $name,
            default => self::NAMES['http_req_duration'][$name] ?? null,
        };
    }

    private static function percent(string $metric): ?float
    {
        return preg_match(self::PERCENTILE, $metric, $m) === 1 && ($m[1] === '') === ($m[3] === '')
            ? (float) $m[2]
            : null;
    }

    private static function float(?int $value): ?float
    {
        return $value === null ? null : (float) $value;
    }
}
