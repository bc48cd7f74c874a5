<?php

declare(strict_types=1);

namespace Headroom\Load\Compare;

/**
 * One metric of two runs.
 */
final readonly class Difference
{
    /** A smaller change of the error rate is not a difference. */
    private const ERRORS = 0.001;

    /**
     * @param ?float $margin of error, with 95 %; null if the runs are too short
     * @param float $tolerance the share by which a metric may get worse
     * @param ?float $seconds the approximate length of runs that would show a change as small as the tolerance
     */
    public function __construct(
        public ComparedMetric $metric,
        public ?float $before,
        public ?float $after,
        public ?float $margin,
        private float $tolerance,
        public ?float $seconds = null,
    ) {}

    /** As a share of the value before; null if that was 0. */
    public function change(): ?float
    {
        return $this->before === null || $this->after === null || $this->before <= 0.0
            ? null
            : $this->after / $this->before - 1.0;
    }

    public function verdict(): Verdict
    {
        if ($this->before === null || $this->after === null) {
            return Verdict::Unknown;
        }

        if ($this->margin === null) {
            return Verdict::TooShort;
        }

        $moved = $this->after - $this->before;

        return match (true) {
            abs($moved) <= max($this->margin, $this->metric === ComparedMetric::ErrorRate ? self::ERRORS : 0.0)
                => $this->unmoved($this->before, $this->margin),
            $moved > 0.0 === ($this->metric === ComparedMetric::RequestsPerSecond) => Verdict::Better,
            default => Verdict::Worse,
        };
    }

    public function isWorse(): bool
    {
        return $this->metric->decides()
            && $this->verdict() === Verdict::Worse
            && abs($this->change() ?? INF) > $this->tolerance;
    }

    public function isJudged(): bool
    {
        return ! $this->metric->decides() || ! in_array($this->verdict(), [Verdict::TooShort, Verdict::Unknown], true);
    }

    /** @return array{figure: string, before: ?float, after: ?float, change: ?float, margin: ?float, verdict: string} */
    public function toArray(): array
    {
        $change = $this->change();

        return [
            'figure' => $this->metric->value,
            'before' => $this->before,
            'after' => $this->after,
            'change' => $change === null ? null : round($change, 6),
            'margin' => $this->margin === null ? null : round($this->margin, 6),
            'verdict' => $this->verdict()->value,
        ];
    }

    /** The change may be chance. It is called no difference only if a relevant change would have been seen. */
    private function unmoved(float $before, float $margin): Verdict
    {
        // The error rate is a share itself. For the others, a margin below the value is one that would show a doubling.
        $isShown = $this->metric === ComparedMetric::ErrorRate
            ? $margin <= max($this->tolerance, self::ERRORS)
            : abs($this->change() ?? 0.0) <= $this->tolerance && $margin <= $before;

        return $isShown ? Verdict::NoDifference : Verdict::TooShort;
    }
}
