<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\Profile\CpuProfile;

/**
 * A cause that the recording speaks for.
 *
 * @internal
 */
final readonly class Candidate
{
    /**
     * @param float $weight how much of what was seen it explains: 1 is all of it
     * @param string $sentence where requests wait and why, with its numbers
     * @param list<Evidence> $evidence
     * @param string $next what to do where no finding of a check says it
     * @param string $cure what this package does about it, independent of the findings; '' where it does nothing
     */
    public function __construct(
        public Bottleneck $stall,
        public float $weight,
        public string $sentence,
        public array $evidence,
        public Severity $severity,
        public string $next,
        public string $cure = '',
    ) {}

    public function advice(): string
    {
        return $this->cure === '' ? $this->next : "{$this->next} {$this->cure}";
    }

    /** The same, with the functions that take the CPU time. */
    public function naming(CpuProfile $profile): self
    {
        $hottest = $profile->hottest();

        if ($hottest === null) {
            return $this;
        }

        $place = $hottest->place();
        $more = $this->stall === Bottleneck::CpuQuota
            ? $this->next
            : 'More processes do not help; another machine does.';

        return new self(
            $this->stall,
            $this->weight,
            "{$this->sentence} {$hottest->takes()} ({$place}).",
            [...$profile->evidence(), ...$this->evidence],
            $this->severity,
            "Have {$hottest->name} do less, or keep its result ({$place}). {$more}",
            $this->cure,
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
            'id' => $this->stall->value,
            'title' => $this->stall->title(),
            'severity' => $this->severity->value,
            'weight' => round($this->weight, 3),
            'sentence' => $this->sentence,
            'evidence' => array_map(static fn (Evidence $evidence): array => $evidence->toArray(), $this->evidence),
        ];
    }
}
