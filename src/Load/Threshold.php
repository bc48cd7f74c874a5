<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * A condition that a run has to meet, as k6 writes it: 'p(95)<200', 'http_req_failed<1%', 'http_reqs:rate>100'. Figures
 * of the result have their own names too: 'error_rate<1%', 'errors==0'.
 */
final readonly class Threshold
{
    private const FORM = '/\A(?:(?<metric>[a-z_]+)\s*:\s*)?(?<figure>[a-z_]+|p\(?(?:100|\d{1,2}(?:\.\d{1,3})?)\)?)'
        .'\s*(?<operator>[<>]=?|===?|!=)\s*(?<number>\d{1,12}(?:\.\d{1,6})?)\s*(?<unit>%|us|ms|s|\/s)?\z/';

    private const PERCENTILE = '/\Ap(\(?)(100|\d{1,2}(?:\.\d{1,3})?)(\)?)\z/';

    private const ALLOWED =
        "a figure, an operator and a limit, such as 'p(95)<200', 'avg<=0.5s', 'http_req_failed<1%', "
            ."'http_reqs:rate>100' or 'errors==0'; docs/load.md lists the figures";

    private const MICROS = ['us' => 1, 'ms' => 1_000, 's' => 1_000_000];

    /** k6's names, by metric and by aggregation. */
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
        private string $figure,
        private string $operator,
        private float $limit,
    ) {}

    /** @throws InvalidPlan */
    public static function parse(string $text): self
    {
        $figure = preg_match(self::FORM, trim($text), $m) === 1 ? self::figure($m['metric'], $m['figure']) : null;

        if ($figure === null) {
            throw InvalidPlan::option('threshold', $text, self::ALLOWED);
        }

        $unit = $m['unit'] ?? '';
        $limit = (float) $m['number'];
        $factor = match (true) {
            $figure === 'error_rate' => ['' => 1.0, '%' => 0.01][$unit] ?? null,
            in_array($figure, self::COUNTS, true) => ['' => 1.0][$unit] ?? null,
            in_array($figure, self::RATES, true) => ['' => 1.0, '/s' => 1.0][$unit] ?? null,
            // Milliseconds, as in k6.
            default => self::MICROS[$unit === '' ? 'ms' : $unit] ?? null,
        };

        if ($figure === 'error_rate' && $unit === '' && $limit === 1.0 && in_array($m['operator'], ['<', '<='], true)) {
            throw InvalidPlan::option(
                'threshold',
                $text,
                "a share that can be crossed: 1 is all requests. Write '<1%' or '<0.01'",
            );
        }

        if ($factor === null || ($figure === 'error_rate' && $limit * $factor > 1.0)) {
            $allowed = $figure === 'error_rate' ? "a share of requests such as '<1%' or '<0.01'" : self::ALLOWED;

            throw InvalidPlan::option('threshold', $text, $allowed);
        }

        return new self($text, $figure, $m['operator'], $limit * $factor);
    }

    /** In shares, counts, per second or microseconds, as the figure is; null when there was nothing to tell it from. */
    public function seen(LoadResult $result): ?float
    {
        $times = $result->latencyWithTimeouts();
        $percent = self::percent($this->figure);

        return match ($this->figure) {
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

    /** A figure that there is nothing to tell from is no reason to pass. */
    public function isCrossed(LoadResult $result): bool
    {
        $seen = $this->seen($result);

        return $seen === null || ! match ($this->operator) {
            '>' => $seen > $this->limit,
            '>=' => $seen >= $this->limit,
            '<' => $seen < $this->limit,
            '<=' => $seen <= $this->limit,
            '!=' => $seen !== $this->limit,
            default => $seen === $this->limit,
        };
    }

    public function isTime(): bool
    {
        return in_array($this->figure, self::TIMES, true) || self::percent($this->figure) !== null;
    }

    /** Whether only the open model has it. */
    public function isOfSchedule(): bool
    {
        return in_array($this->figure, ['late', 'dropped'], true);
    }

    /** Whether a run of errors alone would cross it. */
    public function isOfErrors(): bool
    {
        return in_array($this->figure, ['error_rate', 'errors', 'succeeded_per_second'], true);
    }

    public function isShare(): bool
    {
        return $this->figure === 'error_rate';
    }

    /** @return ?string the name of it in the result; null when there is no such figure */
    private static function figure(string $metric, string $name): ?string
    {
        $percent = self::percent($name);

        return match (true) {
            $percent !== null => $metric === '' || $metric === 'http_req_duration' ? "p{$percent}" : null,
            $metric !== '' => self::NAMES[$metric][$name] ?? null,
            isset(self::NAMES[$name]) => self::NAMES[$name][''] ?? null,
            $name === 'error_rate', in_array($name, [...self::COUNTS, ...self::RATES], true) => $name,
            default => self::NAMES['http_req_duration'][$name] ?? null,
        };
    }

    private static function percent(string $figure): ?float
    {
        return preg_match(self::PERCENTILE, $figure, $m) === 1 && ($m[1] === '') === ($m[3] === '')
            ? (float) $m[2]
            : null;
    }

    private static function float(?int $value): ?float
    {
        return $value === null ? null : (float) $value;
    }
}
