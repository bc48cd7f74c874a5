<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * What became of the requests of one step of a scenario.
 */
final class StepTally
{
    public int $sent = 0;

    public int $succeeded = 0;

    /** @var array<string, int> by kind: a Failure's value, or status_503 for an answer with that status */
    public array $errors = [];

    /** Of everything answered and of the timeouts. */
    public Histogram $latency;

    public function __construct(public readonly string $name)
    {
        $this->latency = new Histogram;
    }

    /** @internal */
    public function failed(string $kind): void
    {
        $this->errors[$kind] = ($this->errors[$kind] ?? 0) + 1;
    }

    public function unfinished(): int
    {
        return $this->sent - $this->succeeded - array_sum($this->errors);
    }

    /** @internal */
    public function absorb(self $other): void
    {
        $this->sent += $other->sent;
        $this->succeeded += $other->succeeded;
        $this->latency->absorb($other->latency);

        foreach ($other->errors as $kind => $count) {
            $this->errors[$kind] = ($this->errors[$kind] ?? 0) + $count;
        }
    }

    /** @return array<string, mixed> see docs/load.md */
    public function toArray(): array
    {
        return [
            'step' => $this->name,
            'sent' => $this->sent,
            'succeeded' => $this->succeeded,
            'errors' => (object) $this->errors,
            'unfinished' => $this->unfinished(),
            'latency_us' => $this->latency->toArray(),
        ];
    }
}
