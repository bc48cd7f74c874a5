<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

/**
 * The requests of one step of a scenario.
 */
final class StepMetrics
{
    public int $sent = 0;

    public int $succeeded = 0;

    /** @var array<string, int> by kind: the value of a Failure, or status_503 for a response with that status */
    public array $errors = [];

    /** Of all responses and timeouts. */
    public Histogram $latency;

    public function __construct(public readonly string $name)
    {
        $this->latency = new Histogram;
    }

    /**
     * @internal
     *
     * @param ?string $error its kind; null if the step succeeded
     * @param ?int $micros response time; null if there was neither a response nor a timeout
     */
    public function finished(?string $error, ?int $micros): void
    {
        if ($micros !== null) {
            $this->latency->record($micros);
        }

        if ($error === null) {
            $this->succeeded++;
        } else {
            $this->errors[$error] = ($this->errors[$error] ?? 0) + 1;
        }
    }

    public function unfinished(): int
    {
        return $this->sent - $this->succeeded - array_sum($this->errors);
    }

    /** @internal */
    public function merge(self $other): void
    {
        $this->sent += $other->sent;
        $this->succeeded += $other->succeeded;
        $this->latency->merge($other->latency);

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
