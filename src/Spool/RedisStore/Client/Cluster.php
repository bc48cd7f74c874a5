<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Closure;
use Headroom\Support\PhpRestrictions;

/**
 * A Redis Cluster, over one connection per node. The clusters of phpredis and Predis are not used. The first cannot
 * tell a command that was never sent from one whose reply was lost; the second sends a command again after its reply
 * was lost.
 *
 * @internal
 */
final class Cluster implements Connection, HasReadTimeout
{
    private const MAX_HOPS = 5;

    /** @var array<string, Connection> by address */
    private array $nodes = [];

    /** @var list<array{int, int, string}> first slot, last slot, address */
    private array $ranges = [];

    /** @var array<int, string> by slot: the addresses of MOVED replies since the slot map was loaded */
    private array $moved = [];

    /** @var array<int, string> by slot: the address that got its last command */
    private array $last = [];

    private string $prefix = '';

    /**
     * @param non-empty-list<string> $seeds host:port
     * @param Closure(string, int): Connection $open host, port; throws RedisFailure
     */
    private function __construct(private readonly array $seeds, private readonly Closure $open) {}

    /**
     * @param non-empty-list<string> $seeds host:port of some nodes of the cluster
     * @param Closure(string, int): Connection $open host, port; throws RedisFailure
     *
     * @throws RedisFailure
     */
    public static function open(array $seeds, Closure $open): self
    {
        $cluster = new self($seeds, $open);
        $cluster->loadSlotMap();

        return $cluster;
    }

    public function send(string $key, array $command): mixed
    {
        $slot = HashSlot::of($this->prefix.$key);

        if (strtoupper((string) $command[0]) === 'WAIT') {
            $node = $this->nodes[$this->last[$slot] ?? ''] ?? throw RedisFailure::replyLost(
                'the connection that wrote is lost, and no other can wait for its writes',
            );

            return $node->send($key, $command);
        }

        $address = $this->addressOf($slot);
        $asking = false;

        for ($hop = 1; ; $hop++) {
            try {
                $node = $this->node($address);
                $this->last[$slot] = $address;

                if ($asking) {
                    $node->send($key, ['ASKING']);
                }

                return $node->send($key, $command);
            } catch (RedisFailure $e) {
                [$address, $asking] = ($hop < self::MAX_HOPS ? $this->redirected($e, $slot, $address) : null)
                    ?? throw $e;
            }
        }
    }

    public function prefix(): string
    {
        return $this->prefix;
    }

    /** All nodes have the same settings, so any node can answer. */
    public function readTimeout(): float
    {
        foreach ($this->nodes as $node) {
            return $node instanceof HasReadTimeout ? $node->readTimeout() : 0.0;
        }

        return 0.0;
    }

    public function close(): void
    {
        foreach ($this->nodes as $node) {
            $node->close();
        }

        $this->nodes = [];
    }

    /**
     * @return array{string, bool}|null another address to send the command to, and whether ASKING must precede it; null
     *     when the command must not be sent again
     */
    private function redirected(RedisFailure $failure, int $slot, string $address): ?array
    {
        if (
            preg_match('/ (MOVED|ASK) \d+ (\S*):(\d+)/', $failure->getMessage(), $m) === 1
            && $failure->kind === $m[1]
        ) {
            $next = ($m[2] === '' ? self::split($address)[0] : $m[2]).":{$m[3]}";

            if ($m[1] === 'MOVED') {
                $this->moved[$slot] = $next;
            }

            return [$next, $m[1] === 'ASK'];
        }

        if ($failure->kind !== '' || $failure->mayHaveRun) {
            return null;
        }

        // A replica of this node may have taken over since the slot map was loaded.
        $this->loadSlotMap();
        $now = $this->addressOf($slot);

        return $now === $address ? null : [$now, false];
    }

    /** @throws RedisFailure */
    private function addressOf(int $slot): string
    {
        if (isset($this->moved[$slot])) {
            return $this->moved[$slot];
        }

        foreach ($this->ranges as [$first, $last, $address]) {
            if ($first <= $slot && $slot <= $last) {
                return $address;
            }
        }

        throw RedisFailure::refused("CLUSTERDOWN no node serves slot {$slot}");
    }

    /**
     * Loads the slot map from the first node that answers. The process id selects the node to begin with, so that not
     * all processes ask the same one.
     *
     * @throws RedisFailure
     */
    private function loadSlotMap(): void
    {
        $addresses = array_values(array_unique([...$this->seeds, ...array_column($this->ranges, 2)]));
        $begin = PhpRestrictions::pid() % count($addresses);
        $failure = null;

        foreach ([...array_slice($addresses, $begin), ...array_slice($addresses, 0, $begin)] as $address) {
            try {
                $reply = $this->node($address)->send('', ['CLUSTER', 'SLOTS']);
                $this->ranges = self::ranges($reply, self::split($address)[0]);
                $this->moved = [];

                return;
            } catch (RedisFailure $failure) {
                if (isset($this->nodes[$address])) {
                    $this->nodes[$address]->close();
                    unset($this->nodes[$address]);
                }
            }
        }

        throw $failure !== null && $failure->kind !== ''
            ? $failure
            : RedisFailure::notReached(
                'no node of the cluster returned the slot map: '.$failure?->getMessage(),
                $failure,
            );
    }

    /** @return list<array{int, int, string}> */
    private static function ranges(mixed $reply, string $host): array
    {
        $ranges = [];

        foreach (is_array($reply) ? $reply : [] as $range) {
            [
                $first, $last, $master,
            ] = is_array($range) ? array_values($range) + [null, null, null] : [null, null, null];
            [$name, $port] = is_array($master) ? array_values($master) + [null, null] : [null, null];

            if (is_int($first) && is_int($last) && is_int($port)) {
                // A node that does not know its own address omits it. The address by which this process reached the
                // node is used instead.
                $ranges[] = [
                    $first, $last, (is_string($name) && ! in_array($name, ['', '?'], true) ? $name : $host).":{$port}",
                ];
            }
        }

        return $ranges;
    }

    /** @throws RedisFailure */
    private function node(string $address): Connection
    {
        if (! isset($this->nodes[$address])) {
            $this->nodes[$address] = ($this->open)(...self::split($address));
            $this->prefix = $this->nodes[$address]->prefix();
        }

        return $this->nodes[$address];
    }

    /** @return array{string, int} */
    private static function split(string $address): array
    {
        $colon = (int) strrpos($address, ':');

        return [substr($address, 0, $colon), (int) substr($address, $colon + 1)];
    }
}
