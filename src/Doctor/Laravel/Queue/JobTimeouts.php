<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;

/**
 * The timeouts of the jobs of each queue connection: of running workers, of Horizon's supervisors and of classes with
 * their own, or Laravel's default without any of these.
 *
 * @internal
 */
final readonly class JobTimeouts
{
    /** The default of queue:work and of Horizon. */
    private const DEFAULT = 60;

    /** The connectors of Laravel that default to 60 seconds. */
    public const DRIVERS = ['database', 'redis', 'beanstalkd'];

    public function __construct(private Application $app, private Facts $facts) {}

    /** @return list<JobTimeout> */
    public function all(): array
    {
        $known = [...$this->ofHorizon(), ...$this->ofWorkers()];
        $connections = array_map(static fn (JobTimeout $each): string => $each->connection, $known);

        foreach ($this->app->keys('queue.connections') as $name) {
            $isMeant = $name === $this->app->text('queue.default') || $this->app->number(
                "queue.connections.{$name}.retry_after",
            ) !== null;

            if ($isMeant && ! in_array($name, $connections, true)) {
                $known[] = new JobTimeout(
                    "queue connection {$name}",
                    $name,
                    self::DEFAULT,
                    new Evidence('--timeout', self::DEFAULT.' s', 'default of queue:work'),
                    isGuess: true,
                );
            }
        }

        return [...$known, ...$this->ofClasses()];
    }

    /** @return ?int the longest of a connection, 0: nothing ends its jobs; null where there is no such connection */
    public function longest(string $connection): ?int
    {
        $own = array_filter($this->all(), static fn (JobTimeout $each): bool => $each->connection === $connection);
        $seconds = array_map(static fn (JobTimeout $each): int => $each->seconds, $own);

        return $seconds === [] ? null : (in_array(0, $seconds, true) ? 0 : max($seconds));
    }

    /** @return int seconds of the longest job that Horizon may run; 0: nothing ends it */
    public function ofSupervisors(): int
    {
        $own = $this->ofHorizon();
        $connections = array_map(static fn (JobTimeout $each): string => $each->connection, $own);

        return $this->most([...$own, ...array_filter(
            $this->ofClasses(),
            static fn (JobTimeout $each): bool => in_array($each->connection, $connections, true),
        )]);
    }

    /**
     * @return int seconds of the longest job that a program of Supervisor may run; 0: nothing ends it
     *
     * @throws FactUnavailable
     */
    public function ofProgram(SupervisorProgram $program): int
    {
        return $program->isHorizon ? $this->ofSupervisors() : $this->ofWorker(
            $program->connection ?? $this->app->text('queue.default'),
            $program->timeout ?? throw FactUnavailable::because(
                "A variable sets --timeout of the program {$program->name}.",
                'ps -eo args | grep queue:',
            ),
        );
    }

    /** @return int seconds of the longest job of a worker with this limit; 0: nothing ends it */
    public function ofWorker(string $connection, int $timeout): int
    {
        $classes = array_filter(
            $this->ofClasses(),
            static fn (JobTimeout $each): bool => $each->connection === $connection,
        );
        $longest = $this->most($classes);

        return $timeout === 0 || ($classes !== [] && $longest === 0) ? 0 : max($timeout, $longest);
    }

    /** @param array<JobTimeout> $timeouts */
    private function most(array $timeouts): int
    {
        $seconds = array_map(static fn (JobTimeout $each): int => $each->seconds, $timeouts);

        return $seconds === [] || in_array(0, $seconds, true) ? 0 : max($seconds);
    }

    /** @return list<JobTimeout> */
    private function ofHorizon(): array
    {
        $environment = $this->environment();
        $timeouts = [];
        $names = [
            ...$this->app->keys('horizon.defaults'),
            ...($environment === null ? [] : $this->app->keys($environment)),
        ];

        foreach (array_values(array_unique($names)) as $name) {
            [$key, $timeout] = $this->option($environment, $name, 'timeout') ?? [null, self::DEFAULT];
            [, $connection] = $this->option($environment, $name, 'connection') ?? [null, 'redis'];
            $evidence = $key === null ? new Evidence(
                'timeout',
                self::DEFAULT.' s',
                'default of Horizon',
            ) : $this->app->evidence($key);

            if (is_numeric($timeout) && is_string($connection)) {
                $timeouts[] = new JobTimeout(
                    "{$name} of config/horizon.php",
                    $connection,
                    (int) $timeout,
                    $evidence,
                    $key,
                );
            }
        }

        return $timeouts;
    }

    /** Horizon uses the first section that matches, and its names may have wildcards. */
    private function environment(): ?string
    {
        $name = $this->app->text('horizon.env') === '' ? $this->app->environment : $this->app->text('horizon.env');

        foreach ($this->app->keys('horizon.environments') as $pattern) {
            if (fnmatch($pattern, $name)) {
                return "horizon.environments.{$pattern}";
            }
        }

        return null;
    }

    /** @return ?array{string, mixed} */
    private function option(?string $environment, string $supervisor, string $option): ?array
    {
        foreach ([...($environment === null ? [] : [$environment]), 'horizon.defaults'] as $section) {
            if ($this->app->has("{$section}.{$supervisor}.{$option}")) {
                return ["{$section}.{$supervisor}.{$option}", $this->app->value("{$section}.{$supervisor}.{$option}")];
            }
        }

        return null;
    }

    /** @return list<JobTimeout> */
    private function ofWorkers(): array
    {
        try {
            $workers = $this->facts->get(QueueWorkers::class)->workers;
        } catch (NotApplicable) {
            return [];
        }

        $timeouts = [];

        foreach ($workers as $worker) {
            $connection = $worker->connection ?? $this->app->text('queue.default');
            $workers = "workers of {$connection} with a timeout of {$worker->timeout}";
            $timeouts[$workers] = new JobTimeout(
                $workers,
                $connection,
                $worker->timeout,
                new Evidence(
                    'timeout',
                    $worker->timeout === 0 ? 'none' : "{$worker->timeout} s",
                    "command line of process {$worker->pid}",
                ),
                confidence: Confidence::Observed,
            );
        }

        return array_values($timeouts);
    }

    /** @return list<JobTimeout> a class without a connection of its own goes to the default one */
    private function ofClasses(): array
    {
        try {
            $classes = $this->facts->get(JobClasses::class)->classes;
        } catch (NotApplicable) {
            return [];
        }

        return array_map(fn (JobClass $class): JobTimeout => new JobTimeout(
            "jobs of {$class->name}",
            $class->connection ?? $this->app->text('queue.default'),
            $class->timeout,
            new Evidence(
                "\$timeout of {$class->name}",
                $class->timeout === 0 ? 'none' : "{$class->timeout} s",
                $class->place,
            ),
        ), $classes);
    }
}
