<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

use Headroom\Load\Journeys;
use Headroom\Load\StepTally;
use Headroom\Load\Target;

/**
 * What each user does, step by step, again and again.
 *
 * @internal
 */
final readonly class Scenario
{
    /** @param non-empty-list<Step> $steps */
    public function __construct(public array $steps, public bool $keepsCookies, private ?DataFile $data) {}

    /**
     * @param int $number of the iteration, from 0
     * @return array<string, string> what is known when it begins
     */
    public function values(int $number): array
    {
        return $this->data === null ? [] : $this->data->row($number);
    }

    /** @return list<Target> where its requests go */
    public function targets(): array
    {
        return array_map(static fn (Step $step): Target => $step->target(), $this->steps);
    }

    public function journeys(): Journeys
    {
        return new Journeys(array_map(static fn (Step $step): StepTally => new StepTally($step->name), $this->steps));
    }
}
