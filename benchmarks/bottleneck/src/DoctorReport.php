<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

/**
 * The doctor's answer, from its JSON.
 */
final readonly class DoctorReport
{
    /**
     * @param array<string, mixed> $report of `headroom:doctor --json`
     * @param float $seconds of the whole command
     */
    public function __construct(private array $report, public float $seconds) {}

    /** The id of the cause that the doctor named under load; null without a diagnosis under load. */
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

    /** @return list<array<string, mixed>> problems and advice, the worst first */
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

    /** @return ?array<string, mixed> the first finding of the check */
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
