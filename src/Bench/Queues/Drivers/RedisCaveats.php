<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Closure;
use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\UnableToBench;
use Throwable;

/**
 * The differences between the application's queue and the benchmark's on the same server: its name, and other load.
 *
 * @internal
 */
final readonly class RedisCaveats
{
    private const MOST_NAMES = 3;

    public function __construct(private RedisNode $node) {}

    /**
     * @param string $queue of the application
     * @return list<string>
     */
    public function of(string $queue): array
    {
        return [
            ...self::known(fn (): array => $this->ofName($queue), []),
            ...self::known($this->ofEviction(...), ['it does not report whether it evicts keys']),
            ...self::known($this->ofQueues(...), ['it does not report which other queues have jobs']),
            ...self::known($this->ofClients(...), ['it does not report how many other clients use it']),
        ];
    }

    /** @return list<string> */
    private function ofName(string $queue): array
    {
        return $this->node->splits($queue) ? [
            "on a cluster your queue `{$queue}` fails with CROSSSLOT, because its keys are in several slots: "
            ."name it `{{$queue}}`, like the queue under test",
        ] : [];
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
