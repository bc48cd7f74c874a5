<?php

declare(strict_types=1);

namespace Headroom\Doctor\Live;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Facts\Nginx\NginxServers;
use Headroom\Doctor\Facts\Redis\RedisAddress;
use Headroom\Doctor\Facts\Redis\RedisAddresses;
use Headroom\Doctor\Facts\Waits\ProcessWaits;
use Headroom\Doctor\UnknownFact;
use Headroom\Support\TerminalText;

use function abs;
use function array_filter;
use function array_key_first;
use function array_keys;
use function array_map;
use function array_values;
use function asort;
use function count;
use function implode;
use function intdiv;

/**
 * What there is to look at, as far as the facts tell.
 *
 * @internal
 */
final readonly class Stage
{
    private const REDIS = KnownServers::REDIS;

    /** @param list<Gap> $gaps */
    private function __construct(
        public Sampler $sampler,
        public ?FpmPool $pool,
        public ?int $most,
        public string $database,
        public bool $mayKeep,
        private array $gaps,
    ) {}

    /** @return list<Gap> once all has been looked at; a Redis that was met is not unknown */
    public function gaps(): array
    {
        return [
            ...array_values(array_filter(
                $this->gaps,
                fn (Gap $gap): bool => $gap->what !== self::REDIS || ! $this->sampler->hasRedis(),
            )),
            ...$this->sampler->gaps(),
        ];
    }

    /**
     * @param Closure(): int $ask sends a few requests to the address and tells how many, or waits while others come:
     *     the pool that takes them is the one
     */
    public static function of(Facts $facts, Clock $clock, Closure $ask): self
    {
        $gaps = [];
        $pool = self::pool($facts, $clock, $ask, $gaps);
        $redis = array_map(
            static fn (RedisAddress $address): RedisMeter => new RedisMeter($address),
            self::told($facts, self::REDIS, $gaps, static fn (): array => $facts->get(RedisAddresses::class)->all)
                ?? [],
        );
        $database = self::told(
            $facts,
            'the SQL server',
            $gaps,
            static fn (): DatabaseMeter => $facts->get(DatabaseMeter::class),
        );
        $seen = $pool?->master->isSeen === true ? $pool : null;

        if ($pool !== null && $seen === null) {
            $gaps[] = new Gap(
                "what the processes of the pool {$pool->name()} wait for",
                'They do not run where the doctor does, in a container or on another machine.',
                'sudo headroom doctor --watch   # where the pool runs',
            );
        }

        return new self(
            new Sampler(
                $clock,
                $pool === null ? null : new PoolMeter($pool),
                $seen === null
                    ? null
                    : new WaitMeter($seen, new ProcessWaits(KnownServers::of($redis, $database)), $clock),
                new CpuMeter($clock),
                $redis,
                $database,
                $seen === null ? null : new KernelMeter($seen->master->pid),
            ),
            $pool,
            $pool?->settings->integer('pm.max_children'),
            $database?->subject() ?? 'the SQL server',
            self::mayKeep($facts),
            $gaps,
        );
    }

    /**
     * @param Closure(): int $ask
     * @param list<Gap> $gaps
     */
    private static function pool(Facts $facts, Clock $clock, Closure $ask, array &$gaps): ?FpmPool
    {
        $pools = self::told($facts, 'PHP-FPM', $gaps, static fn (): FpmPools => $facts->get(FpmPools::class));

        foreach ($pools->unread ?? [] as $unread) {
            $gaps[] = new Gap('PHP-FPM', $unread->getMessage(), $unread->command);
        }

        if ($pools === null || count($pools->pools) < 2) {
            return $pools->pools[0] ?? null;
        }

        $index = self::answering($pools->pools, $clock, $ask);

        if ($index === null) {
            $gaps[] = new Gap(
                'which pool answers',
                'There are '.count($pools->pools).' pools, '
                    .implode(', ', array_map(static fn (FpmPool $pool): string => $pool->name(), $pools->pools))
                    .', and none of them counted the requests: the first is looked at.',
                'headroom doctor --only=F7',
            );
        }

        return $pools->pools[$index ?? 0];
    }

    /**
     * The one that counts as many more than it does by itself as were sent; where none were, the one that counts most.
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

        // As long again without requests of ours.
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

    /** Of a web server that is not here, or is no nginx, nothing is said. */
    private static function mayKeep(Facts $facts): bool
    {
        try {
            return $facts->get(NginxServers::class)->mayKeepConnections();
        } catch (AbsentFact) {
            return false;
        } catch (HeadroomException) {
            return true;
        }
    }

    private static function accepted(FpmPool $pool): ?int
    {
        try {
            return $pool->again()->status()->acceptedConnections;
        } catch (UnknownFact) {
            return null;
        }
    }

    /**
     * @template T
     *
     * @param list<Gap> $gaps
     * @param Closure(): T $ask
     * @return ?T
     */
    private static function told(Facts $facts, string $what, array &$gaps, Closure $ask): mixed
    {
        try {
            return $ask();
        } catch (UnknownFact $e) {
            $gaps[] = new Gap($what, $e->getMessage(), $e->command);
        } catch (AbsentFact $e) {
            // Who asks in the application knows that it is not there.
            if (! self::isInApplication($facts)) {
                $gaps[] = new Gap($what, $e->getMessage());
            }
        } catch (HeadroomException $e) {
            $gaps[] = new Gap($what, TerminalText::line($e->getMessage()));
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
