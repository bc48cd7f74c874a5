<?php

declare(strict_types=1);

namespace Headroom\Cli\Load;

use Headroom\Load\Expectation;
use Headroom\Load\Generator;
use Headroom\Load\InvalidPlan;
use Headroom\Load\Plan;
use Headroom\Load\Stages;
use Headroom\Load\Threshold;
use Symfony\Component\Console\Input\InputInterface;

/**
 * The command line of `load`, as the Load room understands it.
 *
 * @internal
 */
final readonly class LoadOptions
{
    private const DEFAULT_SECONDS = 10.0;

    private const DEFAULT_FAIL_FROM = 400;

    private const MOST_PROCESSES = 64;

    /** Pairs of which one makes the other pointless. */
    private const APART = [
        ['samples', 'duration'], ['samples', 'rate'], ['samples', 'ramp'], ['duration', 'ramp'], ['rate', 'ramp'], ['rate', 'pause'],
        ['fail-from', 'expect-status'], ['replay', 'samples'], ['replay', 'rate'], ['replay', 'ramp'], ['replay', 'pause'],
    ];

    private Given $given;

    public function __construct(InputInterface $input)
    {
        $this->given = new Given($input);
    }

    /** @throws InvalidPlan */
    public function plan(): Plan
    {
        $this->given->refuseBoth(...self::APART);
        $plan = $this->given->has('replay') ? $this->replay() : $this->timed();
        $processes = $this->processes($plan);
        $fewest = Generator::fewestProcesses($plan->mostInFlight());

        if ($processes < $fewest || $processes > min(self::MOST_PROCESSES, $plan->concurrency)) {
            $why = $fewest === 1 ? '' : ' (one can wait for '.Generator::MOST_CONNECTIONS.' connections at once)';

            throw InvalidPlan::option('processes', (string) $processes, "from {$fewest}{$why} to ".self::MOST_PROCESSES.", and no more than the {$plan->concurrency} users or requests in flight, so that each has one");
        }

        return $plan;
    }

    /** @throws InvalidPlan */
    public function workload(Plan $plan): Workload
    {
        if ($this->given->has('speed') && ! $this->given->has('replay')) {
            throw InvalidPlan::needs('speed', 'replay', 'only a log has times that it can change');
        }

        return Workload::of($this->given, $this->processes($plan));
    }

    /**
     * @return list<Threshold>
     *
     * @throws InvalidPlan
     */
    public function thresholds(Plan $plan): array
    {
        $thresholds = array_map(Threshold::parse(...), $this->given->texts('fail-if'));

        foreach ($thresholds as $threshold) {
            if ($threshold->isOfSchedule() && ! $plan->isOpen) {
                throw InvalidPlan::option('fail-if', $threshold->text, 'of a figure that this run has: only with a rate, or a log in its own time, can requests be late or dropped');
            }
        }

        return $thresholds;
    }

    /** @throws InvalidPlan */
    public function outputs(): Outputs
    {
        return Outputs::of($this->given->texts('output'));
    }

    private function timed(): Plan
    {
        $stages = Ramps::parse($this->given->texts('ramp'));
        $inFlight = $this->inFlight();
        $shared = $this->shared();

        if ($this->given->has('rate') || $stages?->arePerSecond === true) {
            $this->given->refuseBoth(['pause', 'ramp']);

            return Plan::rate($stages->stages ?? $this->constantRate(), $inFlight ?? Plan::DEFAULT_IN_FLIGHT, ...$shared);
        }

        $pause = $this->given->has('pause') ? $this->given->whole('pause') / 1_000 : 0.0;

        if ($stages !== null) {
            $this->given->refuseBoth(['concurrency', 'ramp']);

            return Plan::users($stages->stages, ...$shared, pause: $pause);
        }

        $users = $inFlight ?? Plan::DEFAULT_CONCURRENCY;

        return $this->given->has('samples')
            ? Plan::samples($this->given->whole('samples'), $users, ...$shared, pause: $pause)
            : Plan::duration($this->seconds(), $users, ...$shared, pause: $pause);
    }

    private function replay(): Plan
    {
        $seconds = $this->given->has('duration') ? $this->given->number('duration') : null;

        if ($this->given->text('speed') !== Speed::MAX) {
            return Plan::timed($this->inFlight() ?? Plan::DEFAULT_IN_FLIGHT, ...$this->shared(), seconds: $seconds);
        }

        $users = $this->inFlight() ?? Plan::DEFAULT_CONCURRENCY;

        return $seconds === null ? Plan::everything($users, ...$this->shared()) : Plan::duration($seconds, $users, ...$this->shared());
    }

    /** @return array{timeout: float, insecure: bool, failFrom: int, expected: Expectation} */
    private function shared(): array
    {
        return [
            'timeout' => $this->given->number('timeout'),
            'insecure' => $this->given->is('insecure'),
            'failFrom' => $this->given->has('fail-from') ? $this->given->whole('fail-from') : self::DEFAULT_FAIL_FROM,
            'expected' => new Expectation($this->statuses(), $this->given->text('expect-body')),
        ];
    }

    private function processes(Plan $plan): int
    {
        return $this->given->has('processes') ? $this->given->whole('processes') : Generator::fewestProcesses($plan->mostInFlight());
    }

    private function inFlight(): ?int
    {
        return $this->given->has('concurrency') ? $this->given->whole('concurrency') : null;
    }

    /** @return list<int> */
    private function statuses(): array
    {
        $text = $this->given->text('expect-status');

        if ($text === null) {
            return [];
        }

        return preg_match('/\A\d{3}(,\d{3})*\z/', $text) === 1 ? array_map(intval(...), explode(',', $text)) : throw InvalidPlan::option('expect-status', $text, 'statuses from 100 to 599, such as 200,302');
    }

    private function seconds(): float
    {
        return $this->given->has('duration') ? $this->given->number('duration') : self::DEFAULT_SECONDS;
    }

    private function constantRate(): Stages
    {
        $rate = $this->given->number('rate', "a number of requests per second such as 100 or '0.5'");

        return $rate > 0.0 ? Stages::constant($rate, $this->seconds()) : throw InvalidPlan::option('rate', $this->given->text('rate') ?? '', 'more than 0 requests per second');
    }
}
