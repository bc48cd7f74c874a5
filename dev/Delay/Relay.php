<?php

declare(strict_types=1);

namespace Headroom\Dev\Delay;

use Headroom\Core\Clock;
use Headroom\Process\InvalidServerConfig;
use Headroom\Process\UnableToStart;
use Random\Engine\Mt19937;
use Random\Randomizer;
use SplQueue;

/**
 * The event loop of the delay proxy. The delay is the same for all bytes, so bytes become due in the order in which
 * they were read: one queue replaces all timers.
 *
 * A connection takes as long as on a real line of that latency. There, connect() takes one round trip, and the server
 * accepts half a round trip later. Here connect() returns at once, so the proxy connects to the target one and a half
 * round trips later, and the first response arrives after two, as it would. If a connection also costs the server time,
 * as TLS does, concurrent connections wait for each other: such a server handles them one by one, like single-threaded
 * Redis.
 *
 * @internal
 */
final class Relay
{
    // select(2) handles only descriptors below 1024, and a connection uses two. Further clients wait in the backlog.
    private const MOST_CONNECTIONS = 480;

    private const BACKLOG = 1024;

    // A signal that arrives just before select() does not interrupt it.
    private const LONGEST_WAIT_MICROS = 100_000;

    private const LISTENER = -1;

    private const SEED = 20_201_127;

    private const SIDES = 1_000_000;

    /** @var resource */
    private readonly mixed $listener;

    /** @var array<int, Connection> */
    private array $connections = [];

    /** @var array<int, resource> key 2 x connection for client to server, 2 x connection + 1 for server to client */
    private array $reading = [];

    /** @var array<int, resource> */
    private array $writing = [];

    /** @var SplQueue<array{int, Connection, Pipe}> due time in nanoseconds */
    private readonly SplQueue $releases;

    /** @var SplQueue<array{int, Connection}> */
    private readonly SplQueue $calls;

    private int $nextId = 0;

    private bool $cut = false;

    /** Monotonic nanoseconds at which the server has handled all waiting connections. */
    private int $greetedUntil = 0;

    private readonly Randomizer $dice;

    /**
     * @param string $listen host:port; with port 0 the kernel chooses one
     * @param string $target host:port
     * @param int $connectionMicros mean time that the server spends on a new connection, one after the other
     *
     * @throws UnableToStart
     */
    public function __construct(
        string $listen,
        private readonly string $target,
        private readonly int $roundTripMicros,
        private readonly Clock $clock,
        private readonly int $connectionMicros = 0,
    ) {
        if ($roundTripMicros < 0) {
            throw InvalidServerConfig::number('The round trip', $roundTripMicros, '0 microseconds or more');
        }

        if ($connectionMicros < 0) {
            throw InvalidServerConfig::number('The cost of a connection', $connectionMicros, '0 microseconds or more');
        }

        $context = stream_context_create(['socket' => ['backlog' => self::BACKLOG, 'tcp_nodelay' => true]]);
        $listener = @stream_socket_server(
            "tcp://{$listen}",
            $code,
            $error,
            STREAM_SERVER_BIND | STREAM_SERVER_LISTEN,
            $context,
        );
        $this->listener = $listener === false
            ? throw UnableToStart::exited('The delaying proxy', null, "{$listen}: {$error}")
            : $listener;
        $this->dice = new Randomizer(new Mt19937(self::SEED));
        $this->releases = new SplQueue;
        $this->calls = new SplQueue;
    }

    public function address(): string
    {
        return (string) stream_socket_get_name($this->listener, false);
    }

    public function run(): never
    {
        while (true) {
            $this->turn();
        }
    }

    /** Safe in a signal handler: the connections are cut in the next turn. */
    public function cutConnections(): void
    {
        $this->cut = true;
    }

    /** @param int $longestMicros how long to wait if nothing happens */
    public function turn(int $longestMicros = self::LONGEST_WAIT_MICROS): void
    {
        $read = $this->reading;
        $write = $this->writing;
        $except = null;

        if (count($this->connections) < self::MOST_CONNECTIONS) {
            $read[self::LISTENER] = $this->listener;
        }

        // If a signal interrupts it, it returns false with a warning and leaves the arrays unchanged.
        if (@stream_select($read, $write, $except, 0, $this->waitMicros($longestMicros)) === false) {
            $read = $write = [];
        }

        if ($this->cut) {
            $this->cut = false;
            array_map($this->close(...), $this->connections);

            return;
        }

        $this->read($read);
        $this->write($write);
        $this->releaseDue();
    }

    /** @param array<int, resource> $ready */
    private function read(array $ready): void
    {
        // One time for all of them, because reading the clock for each costs more than the precision is worth.
        $now = $this->clock->monotonicNanos();

        foreach (array_keys($ready) as $key) {
            if ($key === self::LISTENER) {
                $this->accept($now);

                continue;
            }

            $connection = $this->connections[$key >> 1];
            $pipe = ($key & 1) === 0 ? $connection->forth : $connection->back;

            if ($pipe->read()) {
                $this->releases->enqueue([$now + $this->roundTripMicros * 500, $connection, $pipe]);
            }

            $this->watch($connection);
        }
    }

    /** @param array<int, resource> $ready */
    private function write(array $ready): void
    {
        foreach (array_keys($ready) as $key) {
            // The connection may have been closed since select() returned.
            if (($connection = $this->connections[$key >> 1] ?? null) === null) {
                continue;
            }

            $pipe = ($key & 1) === 0 ? $connection->forth : $connection->back;
            $this->settle(
                $connection,
                $connection->calling !== null && $pipe === $connection->forth
                    ? $connection->answered()
                    : $pipe->write(),
            );
        }
    }

    private function releaseDue(): void
    {
        $now = $this->clock->monotonicNanos();

        while (! $this->calls->isEmpty() && $this->calls->bottom()[0] <= $now) {
            [, $connection] = $this->calls->dequeue();

            if (! $connection->isClosed) {
                $this->settle($connection, $connection->call($this->target));
            }
        }

        while (! $this->releases->isEmpty() && $this->releases->bottom()[0] <= $now) {
            [, $connection, $pipe] = $this->releases->dequeue();

            if (! $connection->isClosed) {
                $this->settle($connection, $pipe->release());
            }
        }
    }

    private function accept(int $now): void
    {
        $client = @stream_socket_accept($this->listener, 0.0);

        if ($client === false) {
            return;
        }

        $connection = new Connection($this->nextId++, $client);
        $this->connections[$connection->id] = $connection;
        $this->greetedUntil = max($this->greetedUntil, $now + $this->roundTripMicros * 1_500) + $this->greetingNanos();
        $this->calls->enqueue([$this->greetedUntil, $connection]);
        $this->watch($connection);
    }

    /** An exponential distribution: most times are short and few are long. The sequence is the same in each run. */
    private function greetingNanos(): int
    {
        return (int) round(-log($this->dice->getInt(1, self::SIDES) / self::SIDES) * $this->connectionMicros * 1_000);
    }

    private function settle(Connection $connection, bool $isWell): void
    {
        $isWell && ! $connection->isFinished() ? $this->watch($connection) : $this->close($connection);
    }

    private function watch(Connection $connection): void
    {
        $forth = $connection->id * 2;
        $this->mark($this->reading, $forth, $connection->forth->wantsToRead());
        $this->mark($this->reading, $forth + 1, $connection->back->wantsToRead());
        $this->mark($this->writing, $forth, $connection->calling ?? $connection->forth->wantsToWrite());
        $this->mark($this->writing, $forth + 1, $connection->back->wantsToWrite());
    }

    /**
     * @param array<int, resource> $streams
     * @param resource|null $stream
     */
    private function mark(array &$streams, int $key, mixed $stream): void
    {
        if ($stream === null) {
            unset($streams[$key]);
        } else {
            $streams[$key] = $stream;
        }
    }

    private function close(Connection $connection): void
    {
        $connection->close();
        $forth = $connection->id * 2;
        unset(
            $this->connections[$connection->id],
            $this->reading[$forth],
            $this->reading[$forth + 1],
            $this->writing[$forth],
            $this->writing[$forth + 1],
        );
    }

    private function waitMicros(int $longest): int
    {
        $due = min(
            $this->releases->isEmpty() ? PHP_INT_MAX : $this->releases->bottom()[0],
            $this->calls->isEmpty() ? PHP_INT_MAX : $this->calls->bottom()[0],
        );

        if ($due === PHP_INT_MAX) {
            return $longest;
        }

        return max(0, min($longest, (int) ceil(($due - $this->clock->monotonicNanos()) / 1_000)));
    }
}
