<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * One figure of two runs.
 */
final readonly class Difference
{
    /** A share of requests. Fewer errors more or less than this are no difference. */
    private const ERRORS = 0.001;

    /**
     * @param ?float $margin by how much the difference may be chance, with 95 %; null when the runs are too short
     * @param float $tolerance the share by which a figure may be worse
     * @param ?float $seconds about how long each run has to be to show a change as small as the tolerance
     */
    public function __construct(
        public Figure $figure,
        public ?float $before,
        public ?float $after,
        public ?float $margin,
        private float $tolerance,
        public ?float $seconds = null,
    ) {}

    /** Of what it was before; null when that was nothing. */
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
            abs($moved) <= max($this->margin, $this->figure === Figure::ErrorRate ? self::ERRORS : 0.0)
                => $this->unmoved($this->before, $this->margin),
            $moved > 0.0 === ($this->figure === Figure::RequestsPerSecond) => Verdict::Better,
            default => Verdict::Worse,
        };
    }

    public function isWorse(): bool
    {
        return $this->figure->decides()
            && $this->verdict() === Verdict::Worse
            && abs($this->change() ?? INF) > $this->tolerance;
    }

    public function isJudged(): bool
    {
        return ! $this->figure->decides() || ! in_array($this->verdict(), [Verdict::TooShort, Verdict::Unknown], true);
    }

    /** @return array{figure: string, before: ?float, after: ?float, change: ?float, margin: ?float, verdict: string} */
    public function toArray(): array
    {
        $change = $this->change();

        return [
            'figure' => $this->figure->value,
            'before' => $this->before,
            'after' => $this->after,
            'change' => $change === null ? null : round($change, 6),
            'margin' => $this->margin === null ? null : round($this->margin, 6),
            'verdict' => $this->verdict()->value,
        ];
    }

    /** What is seen may be chance. That is no difference only where one that matters would have been seen. */
    private function unmoved(float $before, float $margin): Verdict
    {
        // Errors are a share themselves. Of the others the margin is to be less than the figure: a doubling shows.
        $isShown = $this->figure === Figure::ErrorRate
            ? $margin <= max($this->tolerance, self::ERRORS)
            : abs($this->change() ?? 0.0) <= $this->tolerance && $margin <= $before;

        return $isShown ? Verdict::NoDifference : Verdict::TooShort;
    }
}
