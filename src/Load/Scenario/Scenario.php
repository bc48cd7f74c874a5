<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

use Headroom\Load\Metrics\Iterations;
use Headroom\Load\Metrics\StepMetrics;
use Headroom\Load\Target;

/**
 * The steps that each virtual user repeats.
 *
 * @internal
 */
final readonly class Scenario
{
    /** @param non-empty-list<Step> $steps */
    public function __construct(public array $steps, public bool $keepsCookies, private ?DataFile $data) {}

    /**
     * @param int $number of the iteration, from 0
     * @return array<string, string> by variable, at the start of the iteration
     */
    public function values(int $number): array
    {
        return $this->data === null ? [] : $this->data->row($number);
    }

    /** @return list<Target> the hosts of all requests */
    public function targets(): array
    {
        return array_map(static fn (Step $step): Target => $step->target(), $this->steps);
    }

    public function iterations(): Iterations
    {
        return new Iterations(array_map(
            static fn (Step $step): StepMetrics => new StepMetrics($step->name),
            $this->steps,
        ));
    }
}
