<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Doctor\Application\Application;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\Redis\RedisAddresses;
use Headroom\Doctor\UnderLoad\Samplers\AllSamplers;
use Headroom\Doctor\UnderLoad\Samplers\CpuSampler;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSampler;
use Headroom\Doctor\UnderLoad\Samplers\KernelSampler;
use Headroom\Doctor\UnderLoad\Samplers\PoolSampler;
use Headroom\Doctor\UnderLoad\Samplers\RedisSampler;
use Headroom\Doctor\UnderLoad\Samplers\WaitSampler;
use Headroom\Doctor\UnderLoad\Waits\ProcessWaits;
use Headroom\Support\TerminalText;

/**
 * The parts of the stack that can be observed, by the facts.
 *
 * @internal
 */
final readonly class ObservedTargets
{
    private const REDIS = KnownServers::REDIS;

    /** @param list<MissingData> $missingData */
    private function __construct(
        public AllSamplers $sampler,
        public ?FpmPool $pool,
        public ?int $maxChildren,
        public string $database,
        public bool $mayKeepConnections,
        private array $missingData,
    ) {}

    /** @return list<MissingData> once all has been looked at; a Redis that was met is not unknown */
    public function missingData(): array
    {
        return [
            ...array_values(array_filter(
                $this->missingData,
                fn (MissingData $missing): bool => $missing->what !== self::REDIS || ! $this->sampler->hasRedis(),
            )),
            ...$this->sampler->missingData(),
        ];
    }

    /**
     * @param Closure(): int $ask sends a few requests and returns their number, or waits for real requests; the pool
     *     that accepts them is the target
     */
    public static function of(Facts $facts, Clock $clock, Closure $ask): self
    {
        $missingData = [];
        $pool = self::pool($facts, $clock, $ask, $missingData);
        $redis = array_map(
            static fn (RedisAddress $address): RedisSampler => new RedisSampler($address),
            self::found(
                $facts,
                self::REDIS,
                $missingData,
                static fn (): array => $facts->get(RedisAddresses::class)->all,
            )
                ?? [],
        );
        $database = self::found(
            $facts,
            'the SQL server',
            $missingData,
            static fn (): DatabaseSampler => $facts->get(DatabaseSampler::class),
        );
        $seen = $pool?->master->isSeen === true ? $pool : null;

        if ($pool !== null && $seen === null) {
            $missingData[] = new MissingData(
                "what the processes of the pool {$pool->name()} wait for",
                'They run in a container or on another machine.',
                'sudo headroom doctor --watch   # where the pool runs',
            );
        }

        return new self(
            new AllSamplers(
                $clock,
                $pool === null ? null : new PoolSampler($pool),
                $seen === null
                    ? null
                    : new WaitSampler($seen, new ProcessWaits(KnownServers::of($redis, $database)), $clock),
                new CpuSampler($clock),
                $redis,
                $database,
                $seen === null ? null : new KernelSampler($seen->master->pid),
            ),
            $pool,
            $pool?->settings->integer('pm.max_children'),
            $database?->subject() ?? 'the SQL server',
            self::mayKeepConnections($facts),
            $missingData,
        );
    }

    /**
     * @param Closure(): int $ask
     * @param list<MissingData> $missingData
     */
    private static function pool(Facts $facts, Clock $clock, Closure $ask, array &$missingData): ?FpmPool
    {
        $pools = self::found($facts, 'PHP-FPM', $missingData, static fn (): FpmPools => $facts->get(FpmPools::class));

        foreach ($pools->unread ?? [] as $unread) {
            $missingData[] = new MissingData('PHP-FPM', $unread->getMessage(), $unread->command);
        }

        if ($pools === null || count($pools->pools) < 2) {
            return $pools->pools[0] ?? null;
        }

        $index = self::answering($pools->pools, $clock, $ask);

        if ($index === null) {
            $missingData[] = new MissingData(
                'which pool answers',
                'There are '.count($pools->pools).' pools, '
                    .implode(', ', array_map(static fn (FpmPool $pool): string => $pool->name(), $pools->pools))
                    .', and none of them counted the requests, so the first one is observed.',
                CheckText::command('F7'),
            );
        }

        return $pools->pools[$index ?? 0];
    }

    /**
     * The pool whose counter rises by the number of sent requests, above its usual rate. Without sent requests, the
     * pool whose counter rises most.
     *
     * @param non-empty-list<FpmPool> $pools
     * @param Closure(): int $ask
     */
    private static function answering(array $pools, Clock $clock, Closure $ask): ?int
    {
        $first = array_map(self::accepted(...), $pools);
        $from = $clock->monotonicNanos();
        $sent = $ask();
        $took = $clock->monotonicNanos() - $from;
        $second = array_map(self::accepted(...), $pools);

        // The usual rate, over the same time without the doctor's requests.
        if ($sent > 0) {
            $clock->sleep(intdiv($took, 1_000));
        }

        $third = array_map(self::accepted(...), $pools);
        $misses = [];

        foreach (array_keys($pools) as $index) {
            $rise = ($second[$index] ?? 0) - ($first[$index] ?? 0);

            if ($first[$index] !== null && $rise > 0 && $rise >= $sent) {
                $misses[$index] = $sent === 0
                    ? -$rise
                    : abs($rise - (($third[$index] ?? 0) - ($second[$index] ?? 0)) - $sent);
            }
        }

        asort($misses);

        return array_key_first($misses);
    }

    /** An absent web server, or another one than nginx, cannot be judged. */
    private static function mayKeepConnections(Facts $facts): bool
    {
        try {
            return $facts->get(NginxServers::class)->mayKeepConnections();
        } catch (NotApplicable) {
            return false;
        } catch (HeadroomException) {
            return true;
        }
    }

    private static function accepted(FpmPool $pool): ?int
    {
        try {
            return $pool->again()->status()->acceptedConnections;
        } catch (FactUnavailable) {
            return null;
        }
    }

    /**
     * @template T
     *
     * @param list<MissingData> $missingData
     * @param Closure(): T $ask
     * @return ?T
     */
    private static function found(Facts $facts, string $what, array &$missingData, Closure $ask): mixed
    {
        try {
            return $ask();
        } catch (FactUnavailable $e) {
            $missingData[] = new MissingData($what, $e->getMessage(), $e->command);
        } catch (NotApplicable $e) {
            // An application knows that it does not use the server.
            if (! self::isInApplication($facts)) {
                $missingData[] = new MissingData($what, $e->getMessage());
            }
        } catch (HeadroomException $e) {
            $missingData[] = new MissingData($what, TerminalText::line($e->getMessage()));
        }

        return null;
    }

    private static function isInApplication(Facts $facts): bool
    {
        try {
            $facts->get(Application::class);

            return true;
        } catch (HeadroomException) {
            return false;
        }
    }
}
