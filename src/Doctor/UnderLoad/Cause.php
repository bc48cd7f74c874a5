<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Closure;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\Profile\CpuProfile;

/**
 * A cause that the recording supports.
 *
 * @internal
 */
final readonly class Cause
{
    /**
     * @param float $weight share of the observed waiting that it explains; 1 is all of it
     * @param string $sentence where requests wait and why, with its numbers
     * @param list<Evidence> $evidence
     * @param string $next the next step if no finding of a check gives one
     * @param string $packageAdvice how this package helps, independent of the findings; '' if it does not
     */
    public function __construct(
        public Bottleneck $bottleneck,
        public float $weight,
        public string $sentence,
        public array $evidence,
        public Severity $severity,
        public string $next,
        public string $packageAdvice = '',
    ) {}

    public function advice(): string
    {
        return $this->packageAdvice === '' ? $this->next : "{$this->next} {$this->packageAdvice}";
    }

    /** Adds the function that takes the most CPU time. */
    public function withProfile(CpuProfile $profile): self
    {
        $hottest = $profile->hottest();

        if ($hottest === null) {
            return $this;
        }

        $place = $hottest->place();
        $more = $this->bottleneck === Bottleneck::CpuQuota
            ? $this->next
            : 'More processes do not help; more CPUs do.';

        return new self(
            $this->bottleneck,
            $this->weight,
            "{$this->sentence} {$hottest->takes()} ({$place}).",
            [...$profile->evidence(), ...$this->evidence],
            $this->severity,
            "Let {$hottest->name} do less, or cache its result ({$place}). {$more}",
            $this->packageAdvice,
        );
    }

    /** @param Closure(string): string $render returns a text with its commands as a user types them */
    public function withUserCommands(Closure $render): self
    {
        return new self(
            $this->bottleneck,
            $this->weight,
            $render($this->sentence),
            array_map(
                static fn (Evidence $evidence): Evidence => $evidence->withUserCommands($render),
                $this->evidence,
            ),
            $this->severity,
            $render($this->next),
            $render($this->packageAdvice),
        );
    }

    /**
     * @return array{
     *     id: string,
     *     title: string,
     *     severity: string,
     *     weight: float,
     *     sentence: string,
     *     evidence: list<array{what: string, value: string, source: string}>,
     * }
     */
    public function toArray(): array
    {
        return [
            'id' => $this->bottleneck->value,
            'title' => $this->bottleneck->title(),
            'severity' => $this->severity->value,
            'weight' => round($this->weight, 3),
            'sentence' => $this->sentence,
            'evidence' => array_map(static fn (Evidence $evidence): array => $evidence->toArray(), $this->evidence),
        ];
    }
}
