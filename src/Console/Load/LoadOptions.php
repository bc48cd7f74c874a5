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
        ['requests', 'duration'], ['requests', 'rate'], ['requests', 'stage'], ['duration', 'stage'], ['rate', 'stage'],
        ['rate', 'pause'], ['error-status', 'expect-status'], ['replay', 'requests'], ['replay', 'rate'],
        ['replay', 'stage'], ['replay', 'pause'],
    ];

    private CommandInput $input;

    public function __construct(InputInterface $input)
    {
        $this->input = new CommandInput($input);
    }

    /** @throws InvalidPlan */
    public function plan(): Plan
    {
        $this->input->refuseBoth(...self::APART);
        $plan = $this->input->has('replay') ? $this->replay() : $this->timed();
        $processes = $this->processes($plan);
        $fewest = LoadGenerator::fewestProcesses($plan->mostInFlight());

        if ($processes < $fewest || $processes > min(self::MOST_PROCESSES, $plan->concurrency)) {
            $why = $fewest === 1 ? '' : ' (one process handles '.LoadGenerator::MOST_CONNECTIONS.' connections)';

            throw InvalidPlan::option(
                'processes',
                (string) $processes,
                "from {$fewest}{$why} to ".self::MOST_PROCESSES
                    .", and at most the --concurrency of {$plan->concurrency}",
            );
        }

        return $plan;
    }

    /** @throws InvalidPlan */
    public function workload(Plan $plan): Workload
    {
        if ($this->input->has('speed') && ! $this->input->has('replay')) {
            throw InvalidPlan::needs('speed', 'replay', 'only the requests of a log have times');
        }

        return Workload::of($this->input, $this->processes($plan));
    }

    /**
     * @return list<Threshold>
     *
     * @throws InvalidPlan
     */
    public function thresholds(Plan $plan): array
    {
        $thresholds = array_map(Threshold::parse(...), $this->input->texts('threshold'));

        foreach ($thresholds as $threshold) {
            if ($threshold->needsSchedule() && ! $plan->isOpen) {
                throw InvalidPlan::option(
                    'threshold',
                    $threshold->text,
                    'on another metric: requests are late or dropped only with --rate, a --stage in requests '
                        .'per second, or '
                        .'a replay',
                );
            }
        }

        return $thresholds;
    }

    /** @throws InvalidPlan */
    public function outputs(): LoadOutputs
    {
        return LoadOutputs::of($this->input->texts('output'));
    }

    private function timed(): Plan
    {
        $stages = StageParser::parse($this->input->texts('stage'));
        $inFlight = $this->inFlight();
        $shared = $this->shared();

        if ($this->input->has('rate') || $stages?->arePerSecond === true) {
            $this->input->refuseBoth(['pause', 'stage']);

            return Plan::arrivalRate(
                $stages->stages ?? $this->constantRate(),
                $inFlight ?? Plan::DEFAULT_IN_FLIGHT,
                ...$shared,
            );
        }

        $pause = $this->input->has('pause') ? $this->input->pause() : 0.0;

        if ($stages !== null) {
            $this->input->refuseBoth(['concurrency', 'stage']);

            return Plan::rampingVus($stages->stages, ...$shared, pause: $pause);
        }

        $vus = $inFlight ?? Plan::DEFAULT_CONCURRENCY;

        return $this->input->has('requests')
            ? Plan::requests($this->input->whole('requests'), $vus, ...$shared, pause: $pause)
            : Plan::duration($this->seconds(), $vus, ...$shared, pause: $pause);
    }

    private function replay(): Plan
    {
        $seconds = $this->input->has('duration') ? $this->input->seconds('duration') : null;

        if ($this->input->text('speed') !== ReplaySpeed::MAX) {
            return Plan::arrivalTimes(
                $this->inFlight() ?? Plan::DEFAULT_IN_FLIGHT,
                ...$this->shared(),
                seconds: $seconds,
            );
        }

        $vus = $this->inFlight() ?? Plan::DEFAULT_CONCURRENCY;

        return $seconds === null
            ? Plan::everything($vus, ...$this->shared())
            : Plan::duration($seconds, $vus, ...$this->shared());
    }

    /** @return array{timeout: float, insecure: bool, errorStatus: Statuses, expected: Expectation} */
    private function shared(): array
    {
        return [
            'timeout' => $this->input->seconds('timeout'),
            'insecure' => $this->input->is('insecure'),
            'errorStatus' => $this->input->has('error-status')
                ? Statuses::parseOrNone('error-status', $this->input->text('error-status') ?? '')
                : Statuses::ofErrors(),
            'expected' => new Expectation($this->statuses(), $this->input->text('expect-body')),
        ];
    }

    private function processes(Plan $plan): int
    {
        return $this->input->has('processes')
            ? $this->input->whole('processes')
            : LoadGenerator::fewestProcesses($plan->mostInFlight());
    }

    private function inFlight(): ?int
    {
        return $this->input->has('concurrency') ? $this->input->whole('concurrency') : null;
    }

    /** @return list<int> */
    private function statuses(): array
    {
        $text = $this->input->text('expect-status');

        return $text === null ? [] : Statuses::parse('expect-status', $text)->list();
    }

    private function seconds(): float
    {
        return $this->input->has('duration') ? $this->input->seconds('duration') : self::DEFAULT_SECONDS;
    }

    private function constantRate(): Stages
    {
        $rate = $this->input->rate();

        return $rate > 0.0
            ? Stages::constant($rate, $this->seconds())
            : throw InvalidPlan::option('rate', $this->input->text('rate') ?? '', 'more than 0 requests per second');
    }
}
