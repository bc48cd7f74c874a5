<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

/**
 * What the doctor said, of its JSON.
 */
final readonly class Examined
{
    /**
     * @param array<string, mixed> $report as `headroom:doctor --json` prints it
     * @param float $seconds that it took altogether
     */
    public function __construct(private array $report, public float $seconds) {}

    /** The id of the cause that its live diagnosis names; null when there is no live diagnosis. */
    public function cause(): ?string
    {
        return $this->report['live']['cause']['id'] ?? null;
    }

    public function sentence(): ?string
    {
        return $this->report['live']['sentence'] ?? null;
    }

    public function secondsToCause(): ?float
    {
        return isset($this->report['live']['seconds_to_cause'])
            ? (float) $this->report['live']['seconds_to_cause']
            : null;
    }

    /** @return list<array<string, mixed>> what is wrong or to be advised, the worst first */
    public function problems(): array
    {
        return array_values(array_filter(
            $this->report['findings'],
            static fn (array $finding): bool => in_array($finding['status'], ['warn', 'fail'], true),
        ));
    }

    /** @return list<string> ids, each once */
    public function found(): array
    {
        return array_values(array_unique(array_column($this->problems(), 'id')));
    }

    /** @return ?array<string, mixed> the first finding of a check that found something */
    public function problem(string $id): ?array
    {
        foreach ($this->problems() as $finding) {
            if ($finding['id'] === $id) {
                return $finding;
            }
        }

        return null;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'cause' => $this->cause(),
            'sentence' => $this->sentence(),
            'seconds_to_cause' => $this->secondsToCause(),
            'seconds' => $this->seconds,
            'found' => $this->found(),
            'findings' => array_map(
                static fn (array $finding): array
                    => array_intersect_key($finding, array_flip(['id', 'severity', 'status', 'subject', 'message'])),
                $this->problems(),
            ),
        ];
    }
}
