<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Expectation;
use Headroom\Load\InvalidPlan;
use Headroom\Load\Metrics\Threshold;
use Headroom\Load\Plan;
use Headroom\Load\Stages;
use Headroom\Load\Statuses;
use Symfony\Component\Console\Input\InputInterface;

/**
 * Converts the command line of `load` to a plan, a workload, thresholds and outputs.
 *
 * @internal
 */
final readonly class LoadOptions
{
    private const DEFAULT_SECONDS = 10.0;

    private const MOST_PROCESSES = 64;

    /** Pairs of options that exclude each other. */
    private const APART = [
        ['requests', 'duration'], ['requests', 'rate'], ['requests', 'ramp'], ['duration', 'ramp'], ['rate', 'ramp'],
        ['rate', 'pause'], ['error-status', 'expect-status'], ['replay', 'requests'], ['replay', 'rate'],
        ['replay', 'ramp'], ['replay', 'pause'],
    ];

    private CommandInput $given;

    public function __construct(InputInterface $input)
    {
        $this->given = new CommandInput($input);
    }

    /** @throws InvalidPlan */
    public function plan(): Plan
    {
        $this->given->refuseBoth(...self::APART);
        $plan = $this->given->has('replay') ? $this->replay() : $this->timed();
        $processes = $this->processes($plan);
        $fewest = LoadGenerator::fewestProcesses($plan->mostInFlight());

        if ($processes < $fewest || $processes > min(self::MOST_PROCESSES, $plan->concurrency)) {
            $why = $fewest === 1 ? '' : ' (one process handles '.LoadGenerator::MOST_CONNECTIONS.' connections)';

            throw InvalidPlan::option(
                'processes',
                (string) $processes,
                "from {$fewest}{$why} to ".self::MOST_PROCESSES
                    .", and at most the {$plan->concurrency} users or requests in flight",
            );
        }

        return $plan;
    }

    /** @throws InvalidPlan */
    public function workload(Plan $plan): Workload
    {
        if ($this->given->has('speed') && ! $this->given->has('replay')) {
            throw InvalidPlan::needs('speed', 'replay', 'only the requests of a log have times');
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
        $thresholds = array_map(Threshold::parse(...), $this->given->texts('threshold'));

        foreach ($thresholds as $threshold) {
            if ($threshold->needsSchedule() && ! $plan->isOpen) {
                throw InvalidPlan::option(
                    'threshold',
                    $threshold->text,
                    'about a figure of this run: only requests with a rate, or of a log with its own times, can be '
                        .'late or dropped',
                );
            }
        }

        return $thresholds;
    }

    /** @throws InvalidPlan */
    public function outputs(): LoadOutputs
    {
        return LoadOutputs::of($this->given->texts('output'));
    }

    private function timed(): Plan
    {
        $stages = StageParser::parse($this->given->texts('ramp'));
        $inFlight = $this->inFlight();
        $shared = $this->shared();

        if ($this->given->has('rate') || $stages?->arePerSecond === true) {
            $this->given->refuseBoth(['pause', 'ramp']);

            return Plan::arrivalRate(
                $stages->stages ?? $this->constantRate(),
                $inFlight ?? Plan::DEFAULT_IN_FLIGHT,
                ...$shared,
            );
        }

        $pause = $this->given->has('pause') ? $this->given->pause() : 0.0;

        if ($stages !== null) {
            $this->given->refuseBoth(['concurrency', 'ramp']);

            return Plan::rampingVus($stages->stages, ...$shared, pause: $pause);
        }

        $users = $inFlight ?? Plan::DEFAULT_CONCURRENCY;

        return $this->given->has('requests')
            ? Plan::requests($this->given->whole('requests'), $users, ...$shared, pause: $pause)
            : Plan::duration($this->seconds(), $users, ...$shared, pause: $pause);
    }

    private function replay(): Plan
    {
        $seconds = $this->given->has('duration') ? $this->given->seconds('duration') : null;

        if ($this->given->text('speed') !== ReplaySpeed::MAX) {
            return Plan::arrivalTimes($this->inFlight() ?? Plan::DEFAULT_IN_FLIGHT, ...$this->shared(), seconds: $seconds);
        }

        $users = $this->inFlight() ?? Plan::DEFAULT_CONCURRENCY;

        return $seconds === null
            ? Plan::everything($users, ...$this->shared())
            : Plan::duration($seconds, $users, ...$this->shared());
    }

    /** @return array{timeout: float, insecure: bool, errorStatus: Statuses, expected: Expectation} */
    private function shared(): array
    {
        return [
            'timeout' => $this->given->seconds('timeout'),
            'insecure' => $this->given->is('insecure'),
            'errorStatus' => $this->given->has('error-status')
                ? Statuses::parseOrNone('error-status', $this->given->text('error-status') ?? '')
                : Statuses::ofErrors(),
            'expected' => new Expectation($this->statuses(), $this->given->text('expect-body')),
        ];
    }

    private function processes(Plan $plan): int
    {
        return $this->given->has('processes')
            ? $this->given->whole('processes')
            : LoadGenerator::fewestProcesses($plan->mostInFlight());
    }

    private function inFlight(): ?int
    {
        return $this->given->has('concurrency') ? $this->given->whole('concurrency') : null;
    }

    /** @return list<int> */
    private function statuses(): array
    {
        $text = $this->given->text('expect-status');

        return $text === null ? [] : Statuses::parse('expect-status', $text)->list();
    }

    private function seconds(): float
    {
        return $this->given->has('duration') ? $this->given->seconds('duration') : self::DEFAULT_SECONDS;
    }

    private function constantRate(): Stages
    {
        $rate = $this->given->rate();

        return $rate > 0.0
            ? Stages::constant($rate, $this->seconds())
            : throw InvalidPlan::option('rate', $this->given->text('rate') ?? '', 'more than 0 requests per second');
    }
}
