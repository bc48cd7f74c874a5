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

    /** @param ?float $spread how much the figure varies within the runs; null when they are too short to tell */
    public function __construct(public Figure $figure, public ?float $before, public ?float $after, public ?float $spread) {}

    /** Of what it was before; null when that was nothing. */
    public function change(): ?float
    {
        return $this->before === null || $this->after === null || $this->before <= 0.0 ? null : $this->after / $this->before - 1.0;
    }

    public function verdict(): Verdict
    {
        if ($this->before === null || $this->after === null) {
            return Verdict::Unknown;
        }

        $moved = $this->after - $this->before;
        $noise = max($this->spread ?? 0.0, $this->figure === Figure::ErrorRate ? self::ERRORS : 0.0);

        return match (true) {
            abs($moved) <= $noise => Verdict::NoDifference,
            $moved > 0.0 === ($this->figure === Figure::RequestsPerSecond) => Verdict::Better,
            default => Verdict::Worse,
        };
    }

    /** @param float $tolerance the share by which a figure may be worse */
    public function isWorseBy(float $tolerance): bool
    {
        return $this->figure->decides() && $this->verdict() === Verdict::Worse && abs($this->change() ?? INF) > $tolerance;
    }

    /** @return array{figure: string, before: ?float, after: ?float, change: ?float, spread: ?float, verdict: string} */
    public function toArray(): array
    {
        $change = $this->change();

        return [
            'figure' => $this->figure->value,
            'before' => $this->before,
            'after' => $this->after,
            'change' => $change === null ? null : round($change, 6),
            'spread' => $this->spread === null ? null : round($this->spread, 6),
            'verdict' => $this->verdict()->value,
        ];
    }
}
