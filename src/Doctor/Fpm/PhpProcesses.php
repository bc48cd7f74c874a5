<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\Horizon;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;

/**
 * The largest number of PHP processes of this machine, each with connections of its own.
 *
 * @internal
 */
final readonly class PhpProcesses
{
    /**
     * @param list<Evidence> $evidence for the number
     * @param ?FactUnavailable $unknown the reason why there may be more
     */
    private function __construct(public int $number, public array $evidence, public ?FactUnavailable $unknown) {}

    public static function of(Facts $facts): self
    {
        $unknown = null;
        $found = [];

        foreach ([self::pools(...), self::workers(...)] as $asked) {
            try {
                $found = [...$found, ...$asked($facts)];
            } catch (FactUnavailable $e) {
                $unknown = $e;
            } catch (NotApplicable) {
                // None of them opens a connection.
            }
        }

        return new self(array_sum(array_column($found, 0)), array_column($found, 1), $unknown ?? self::unread($facts));
    }

    /** @return list<array{int, Evidence}> of each PHP-FPM no more than its process.max */
    private static function pools(Facts $facts): array
    {
        $pools = $facts->get(FpmPools::class);
        $found = [];

        foreach ($pools->ofEachMaster() as $one) {
            $own = $pools->of($one->master);
            $numbers = array_map(static fn (FpmPool $pool): int => $pool->integer('pm.max_children'), $own);
            $bound = $one->global->integer('process.max') ?? 0;
            $isBound = $bound > 0 && $bound < array_sum($numbers);

            foreach ($own as $at => $pool) {
                $found[] = [
                    $isBound ? 0 : $numbers[$at],
                    new Evidence(
                        "processes of the pool {$pool->name()}",
                        (string) $numbers[$at],
                        $pool->evidence('pm.max_children')->source,
                    ),
                ];
            }

            if ($isBound) {
                $found[] = [
                    $bound,
                    new Evidence('process.max', (string) $bound, $one->global->setting('process.max')->origin ?? ''),
                ];
            }
        }

        return $found;
    }

    /** @return list<array{int, Evidence}> */
    private static function workers(Facts $facts): array
    {
        $running = count($facts->get(QueueWorkers::class)->workers);
        $horizon = self::horizon($facts);

        return [$horizon > $running
            ? [
                $horizon,
                new Evidence(
                    'queue workers',
                    (string) $horizon,
                    "maxProcesses of config/horizon.php; {$running} run now",
                ),
            ]
            : [$running, new Evidence('queue workers', (string) $running, '/proc')]];
    }

    /** A PHP-FPM whose pools are not known may have any number of processes. */
    private static function unread(Facts $facts): ?FactUnavailable
    {
        try {
            foreach ($facts->get(FpmPools::class)->unread as $pid => $why) {
                return FactUnavailable::because(
                    "How many processes PHP-FPM {$pid} may start is not known: {$why->getMessage()}",
                    $why->command,
                );
            }
        } catch (NotApplicable|FactUnavailable) {
            // The unknown one is already reported.
        }

        return null;
    }

    private static function horizon(Facts $facts): int
    {
        try {
            return (new Horizon($facts->get(Application::class)))->processes();
        } catch (NotApplicable|FactUnavailable) {
            return 0;
        }
    }
}
