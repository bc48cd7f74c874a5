<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Closure;
use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\UnableToBench;
use Illuminate\Contracts\Queue\Queue;
use Throwable;

/**
 * The differences between the application's queue and the benchmark's on the same server: its name, and other load.
 *
 * @internal
 */
final readonly class RedisCaveats
{
    private const MOST_NAMES = 3;

    /** The errors of a cluster, phpredis and predis if the keys of one script are in several slots. */
    private const SPLIT = "/\\bCROSSSLOT\\b|do not map to the same slot|Cannot use 'EVAL' with redis-cluster/";

    /** @param Queue $queue of the application */
    public function __construct(private RedisNode $node, private Queue $queue) {}

    /**
     * @param string $name of the application's queue
     * @return list<string>
     */
    public function of(string $name): array
    {
        return [
            ...self::known(fn (): array => $this->ofName($name), []),
            ...self::known($this->ofEviction(...), ['it does not report whether it evicts keys']),
            ...self::known($this->ofQueues(...), ['it does not report which other queues have jobs']),
            ...self::known($this->ofClients(...), ['it does not report how many other clients use it']),
        ];
    }

    /**
     * Laravel's scripts use all keys of a queue in one call, which a cluster refuses if they are in several slots. Only
     * the queue knows its keys: Laravel 13 adds a hash tag on a cluster's connection, but not on a single address.
     *
     * @return list<string>
     */
    private function ofName(string $name): array
    {
        try {
            $this->queue->size($name);
        } catch (Throwable $e) {
            return preg_match(self::SPLIT, $e->getMessage()) === 1 ? [
                "on a cluster your queue `{$name}` fails with CROSSSLOT, because its keys are in several slots: "
                ."name it `{{$name}}`, like the queue under test",
            ] : throw $e;
        }

        return [];
    }

    /** @return list<string> */
    private function ofQueues(): array
    {
        [$queues, $hasMore] = $this->node->otherQueues();
        $unseen = $hasMore ? ['only the first 100,000 keys were searched for other queues'] : [];
        $first = array_slice($queues, 0, self::MOST_NAMES);
        $names = array_map(static fn (string $queue): string => "`{$queue}`", $first);
        $more = count($queues) - count($names);
        $verb = count($queues) === 1 ? 'other queue has' : 'other queues have';

        return $queues === [] ? $unseen : [
            count($queues)." {$verb} jobs with the same prefix: ".implode(', ', $names)
                .($more > 0 ? " and {$more} more" : ''),
            ...$unseen,
        ];
    }

    /** @return list<string> */
    private function ofEviction(): array
    {
        $memory = $this->node->info('memory');
        $policy = $memory['maxmemory_policy'] ?? throw UnableToBench::unanswered('INFO');

        // The other policies evict keys with a time to live, which a queue does not have.
        return (int) ($memory['maxmemory'] ?? '0') > 0 && str_starts_with($policy, 'allkeys-')
            ? ["when its memory is full it evicts queues too (maxmemory-policy {$policy}): set noeviction"]
            : [];
    }

    /** @return list<string> */
    private function ofClients(): array
    {
        $connections = $this->node->info('clients')['connected_clients'] ?? throw UnableToBench::unanswered('INFO');
        $others = (int) $connections - 1;
        $commands = (int) ($this->node->info('stats')['instantaneous_ops_per_sec'] ?? 0);
        $were = $others === 1 ? 'connection was' : 'connections were';

        return $others < 1 ? [] : [
            "before the runs {$others} other {$were} open, and the server ran {$commands} commands a second",
        ];
    }

    /**
     * @param Closure(): list<string> $notes
     * @param list<string> $otherwise
     * @return list<string>
     */
    private static function known(Closure $notes, array $otherwise): array
    {
        try {
            return $notes();
        } catch (Throwable $e) {
            return Interrupted::within($e) === null ? $otherwise : throw Interrupted::within($e);
        }
    }
}
