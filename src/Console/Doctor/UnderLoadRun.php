<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Console\Prompt;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\UnderLoad\Causes\CauseList;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\LoadObservation;
use Headroom\Doctor\UnderLoad\LoadProcess;
use Headroom\Doctor\UnderLoad\LoadTraffic;
use Headroom\Doctor\UnderLoad\MissingData;
use Headroom\Doctor\UnderLoad\ObservedTargets;
use Headroom\Doctor\UnderLoad\Profile\CpuProfile;
use Headroom\Doctor\UnderLoad\Profile\Excimer;
use Headroom\Doctor\UnderLoad\Profile\LoadedPage;
use Headroom\Doctor\UnderLoad\Profile\LoadedScript;
use Headroom\Doctor\UnderLoad\Profile\PoolProfiler;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use Headroom\Load\Target;
use Headroom\Process\UnableToStart;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Style\SymfonyStyle;

/**
 * Sends load or watches real requests, samples the stack meanwhile, and finds where requests wait.
 *
 * @internal
 */
final class UnderLoadRun
{
    /** Seconds for requests in flight at the end of the load, and for the load process to report its result. */
    private const GRACE = 15.0;

    /** Seconds to connect. A server that accepts and takes longer to answer counts as running. */
    private const CONNECT_TIMEOUT = 2.0;

    private const FUNCTIONS = 'which PHP functions take the CPU time';

    private ?LoadObservation $observation = null;

    private bool $isStopped = false;

    /** @param list<string> $load the command line of the load generator */
    public function __construct(
        private readonly UnderLoadOptions $options,
        private readonly Clock $clock,
        private readonly OutputInterface $output,
        private readonly array $load,
    ) {}

    /** @throws InvalidOptionException */
    public function mustBeAllowed(InputInterface $input): void
    {
        $target = $this->options->target;

        if ($target === null || $target->isLoopback() || $input->getOption('allow-remote') === true) {
            return;
        }

        if (
            ! Prompt::isPossible($input)
            || ! (new SymfonyStyle($input, $this->output))->confirm(
                "{$target->host} is not this machine. Are you allowed to put load on it?",
                false,
            )
        ) {
            throw new InvalidOptionException(
                "{$target->host} is not this machine. If you may put load on it, give --allow-remote.",
            );
        }
    }

    /** Returns false if no sampling is running. */
    public function stop(): bool
    {
        $this->observation?->stop();
        $this->isStopped = $this->observation !== null;

        return $this->isStopped;
    }

    /** @param int $since monotonic nanoseconds at which the command started */
    public function diagnosis(Facts $facts, int $since): LoadDiagnosis
    {
        $targets = ObservedTargets::of($facts, $this->clock, $this->askOnce(...));
        $this->observation = $observation = new LoadObservation($targets->sampler, $this->clock);

        [$before, $during, $traffic] = $this->options->target === null
            ? $this->watched($observation)
            : $this->loaded($observation, $this->options->target, $this->options->users($targets->maxChildren));
        $this->observation = null;
        $recording = new Recording(
            $before,
            $during,
            $traffic,
            $targets->maxChildren,
            $targets->missingData(),
            $targets->database,
            $targets->mayKeepConnections,
        );

        $underLoad = LoadDiagnosis::of($recording, CauseList::all(), ($this->clock->monotonicNanos() - $since) / 1e9);

        return $underLoad->isCpuBound() && ! $this->isStopped
            ? $underLoad->with($this->profile($facts, $targets, $traffic))
            : $underLoad;
    }

    private function profile(Facts $facts, ObservedTargets $targets, ?LoadTraffic $traffic): CpuProfile|MissingData
    {
        $target = $this->options->target;

        try {
            if ($target === null) {
                throw PoolProfiler::sendsNothing($targets->pool, self::nginx($facts));
            }

            $this->progress('The CPUs are busy: sampling the PHP functions of that request, one request at a time.');
            $page = new LoadedPage($target->path, $target->authority, $target->port, $target->isTls);
            $script = new LoadedScript(self::nginx($facts));
            $profiler = new PoolProfiler($this->clock, Excimer::here(), $script);

            return $profiler->profile($targets->pool, $page, $traffic?->mostFrequentStatus(), $this->options->timeout);
        } catch (FactUnavailable|UnableToQueryPool $e) {
            return new MissingData(self::FUNCTIONS, $e->getMessage(), $e->command);
        } catch (UnableToStart $e) {
            return new MissingData(self::FUNCTIONS, $e->getMessage());
        }
    }

    private static function nginx(Facts $facts): ?NginxServers
    {
        try {
            return $facts->get(NginxServers::class);
        } catch (HeadroomException) {
            return null;
        }
    }

    /** @return array{list<Snapshot>, list<Snapshot>, null} */
    private function watched(LoadObservation $observation): array
    {
        $this->progress("Watching requests for {$this->options->seconds} s.");

        return [[], $observation->atRealTraffic($this->options->seconds), null];
    }

    /**
     * @return array{list<Snapshot>, list<Snapshot>, ?LoadTraffic}
     */
    private function loaded(LoadObservation $observation, Target $target, int $users): array
    {
        $this->mustBeThere($target);
        $this->progress("GET {$target->url}: for {$this->options->seconds} s, {$users} at a time, timeout "
            ."{$this->options->timeout} s. Ctrl-C ends it.");
        $load = null;

        $seen = $observation->underLoad(function () use ($target, $users, &$load): LoadProcess {
            return $load = LoadProcess::start(
                $this->load,
                $target->url,
                $users,
                $this->options->seconds,
                $this->options->timeout,
                $this->clock,
            );
        }, $this->options->seconds + $this->options->timeout + self::GRACE);

        if ($seen[2] === null && ! $this->isStopped && $load instanceof LoadProcess) {
            throw new InvalidOptionException(
                $load->errorMessage() === ''
                    ? 'The load process ended without a result. To see why, run it by hand: headroom load '
                        ."{$target->url} --duration={$this->options->seconds} --concurrency={$users}"
                    : $load->errorMessage(),
            );
        }

        return $seen;
    }

    /**
     * Without a server there is nothing to sample, and thousands of connections a second would be refused.
     *
     * @throws InvalidOptionException
     */
    private function mustBeThere(Target $target): void
    {
        $plan = Plan::requests(1, 1, min(self::CONNECT_TIMEOUT, $this->options->timeout));
        $result = (new LoadGenerator($this->clock))->run($plan, new SameRequest(new Request($target->url)));
        $failure = $result->failures[0] ?? null;

        if ($failure !== null && $failure->failure->outcome() === Outcome::ConnectError) {
            throw new InvalidOptionException(
                "No server answers at {$target->url}: {$failure->message}. Check that it runs, and the address.",
            );
        }
    }

    /**
     * Sends a few requests: of several pools, the one whose counter rises is the one that answers.
     *
     * @return int the number of requests sent
     */
    private function askOnce(): int
    {
        if ($this->options->target === null) {
            $this->clock->sleep(1_000_000);

            return 0;
        }

        $request = new SameRequest(new Request($this->options->target->url));

        return (new LoadGenerator($this->clock))->run(Plan::requests(10, 5, self::CONNECT_TIMEOUT), $request)->sent();
    }

    private function progress(string $words): void
    {
        $this->output->writeln(OutputFormatter::escape($words));
    }
}
