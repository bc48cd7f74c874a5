<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\RequestLimits;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Collector\Timeouts;
use Headroom\Core\Clock;
use Headroom\Http\RequestParser;
use Headroom\Http\ResponseWriter;
use React\EventLoop\LoopInterface;

/**
 * The client connections of one worker: accepts them up to its file descriptor budget, and enforces the timeouts and
 * the memory limit.
 *
 * @internal
 */
final class ConnectionManager
{
    /** Accepting more in one tick would delay the connections that are open already. */
    private const MAX_ACCEPTS = 64;

    /** Descriptors reserved for the admin listener. */
    private const ADMIN_RESERVE = 16;

    /** While accepting is paused, an idle connection is closed after this time. */
    private const RECLAIM_NANOS = 5_000_000_000;

    /** While accepting is paused, a connection on which no byte has arrived is closed after this time. */
    private const NO_DATA_NANOS = 2_000_000_000;

    /** Ticks until every readable socket has been read: libevent reports 32 in the first, then doubles the number. */
    private const TICKS_BEFORE_TIMEOUTS = 10;

    /** @var array<int, Connection> by id of the stream */
    private array $connections = [];

    /** @var array<string, Listener> by name; those that accept now */
    private array $accepting = [];

    private bool $isPaused = false;

    private readonly LoopHandle $handle;

    private readonly ResponseWriter $writer;

    /**
     * @param array<string, Listener> $listeners by name: main, admin
     * @param array<string, RequestDispatcher> $dispatchers by the same names
     * @param Closure(string): void $log
     */
    public function __construct(
        private readonly LoopInterface $loop,
        private readonly Clock $clock,
        private readonly array $listeners,
        private readonly array $dispatchers,
        private readonly RequestLimits $limits,
        private readonly Timeouts $timeouts,
        private readonly FileDescriptorBudget $descriptors,
        private readonly MetricsRegistry $metrics,
        private readonly Closure $log,
    ) {
        $this->writer = new ResponseWriter($clock);
        $this->handle = new LoopHandle(
            $loop,
            $clock,
            $descriptors,
            $limits->unfinishedBytes,
            $this->evictOldestBody(...),
            $this->forget(...),
        );
    }

    public function open(): void
    {
        foreach (array_keys($this->listeners) as $name) {
            $this->startAccepting($name);
        }
    }

    public function count(): int
    {
        return count($this->connections);
    }

    public function isPaused(): bool
    {
        return $this->isPaused;
    }

    /**
     * Enforces the timeouts some ticks later; O(connections). The worker calls this method about once a second, and
     * every 50 ms while it drains. The ticks in between read the bytes that arrived while this process was blocked: the
     * loop runs timers before sockets, and an extension's loop reads only some sockets in each tick. Otherwise a busy
     * worker would time out clients that did send.
     *
     * @param ?Closure(): void $then runs after the timeouts
     */
    public function enforceTimeoutsSoon(?Closure $then = null): void
    {
        $this->afterTicks(self::TICKS_BEFORE_TIMEOUTS, function () use ($then): void {
            $this->enforceTimeouts();

            if ($then !== null) {
                $then();
            }
        });
    }

    /**
     * Stops accepting. Open requests are answered with Connection: close; idle connections are closed.
     *
     * @param bool $acceptsQueued accept the connections that wait in the queue first, because no worker follows
     */
    public function drain(bool $acceptsQueued): void
    {
        if ($acceptsQueued) {
            foreach ($this->accepting as $name => $listener) {
                $this->accept($listener, $name, PHP_INT_MAX);
            }
        }

        $this->handle->isDraining = true;
        array_map($this->stopAccepting(...), array_keys($this->accepting));
    }

    public function closeAll(): void
    {
        foreach ($this->connections as $connection) {
            $connection->isLingering() ? $connection->abort() : $connection->close();
        }
    }

    private function afterTicks(int $ticks, Closure $task): void
    {
        $this->loop->futureTick($ticks === 1 ? $task : fn () => $this->afterTicks($ticks - 1, $task));
    }

    private function enforceTimeouts(): void
    {
        $now = $this->clock->monotonicNanos();

        foreach ($this->connections as $connection) {
            $this->countDropped($connection->enforceTimeouts($now, $this->timeouts));
        }

        if ($this->handle->isDraining) {
            $this->closeIdle($now, $this->timeouts->drainIdle * 1_000_000_000, PHP_INT_MAX);
        } elseif ($this->isPaused) {
            $this->abortWithoutData($now);
            $this->closeIdle($now, self::RECLAIM_NANOS, max(1, intdiv($this->descriptors->cap, 10)), 'idle_reclaim');
            // Closed outbound connections have freed descriptors too.
            $this->resumeAccepting();
        }
    }

    private function startAccepting(string $name): void
    {
        $listener = $this->listeners[$name];
        $this->accepting[$name] = $listener;
        $this->loop->addReadStream($listener->stream, function () use ($listener, $name): void {
            $this->accept($listener, $name, self::MAX_ACCEPTS);
        });
    }

    private function stopAccepting(string $name): void
    {
        if (isset($this->accepting[$name])) {
            $this->loop->removeReadStream($this->accepting[$name]->stream);
            unset($this->accepting[$name]);
        }
    }

    private function accept(Listener $listener, string $name, int $max): void
    {
        for ($accepted = 0; $accepted < $max; $accepted++) {
            if (! $this->descriptors->hasRoom($name === 'main' ? 0 : self::ADMIN_RESERVE)) {
                $this->pauseAccepting($name);

                return;
            }

            $peer = '';
            $stream = $listener->accept($peer);

            if ($stream === null) {
                return;
            }

            stream_set_blocking($stream, false);
            stream_set_read_buffer($stream, 0);
            stream_set_chunk_size($stream, 65_536);
            $this->descriptors->clients++;
            $this->metrics->increment('headroom_connections_total');
            $this->connections[(int) $stream] = new Connection(
                $stream,
                new RequestParser($this->limits->message),
                self::host($peer),
                $this->writer,
                $this->handle,
                $this->dispatchers[$name],
                $this->clock->monotonicNanos(),
            );
        }
    }

    private function pauseAccepting(string $name): void
    {
        $this->stopAccepting($name);

        if ($name !== 'main') {
            $this->loop->addTimer(1.0, fn () => $this->handle->isDraining ? null : $this->startAccepting($name));
        } elseif (! $this->isPaused) {
            $this->isPaused = true;
            $this->metrics->increment('headroom_accept_pauses_total');
            ($this->log)(
                "paused accepting: {$this->descriptors->clients} client connections and"
                    ." {$this->descriptors->outboundConnections} outbound connections use all"
                    ." {$this->descriptors->cap} descriptors of this worker."
                    .' Start more workers or install the PHP extension `event`',
            );
        }
    }

    private function resumeAccepting(): void
    {
        if ($this->isPaused && $this->descriptors->hasRoomAgain()) {
            $this->isPaused = false;
            ($this->log)('accepting again');

            if (! $this->handle->isDraining) {
                $this->startAccepting('main');
            }
        }
    }

    private function forget(int $id): void
    {
        unset($this->connections[$id]);
        $this->descriptors->clients--;
        $this->resumeAccepting();
    }

    private function closeIdle(int $now, int $idleNanos, int $max, ?string $reason = null): void
    {
        foreach ($this->connections as $connection) {
            if (
                $max > 0
                && $connection->isIdle()
                && $now - max($connection->readAt, $connection->wroteAt) >= $idleNanos
            ) {
                $connection->close();
                $this->countDropped($reason);
                $max--;
            }
        }
    }

    /** Slow-POST protection: evicts the body whose current reading began first; O(connections). */
    private function evictOldestBody(): void
    {
        $oldest = null;

        foreach ($this->connections as $connection) {
            $since = $connection->bodySince();

            if ($since !== null && ($oldest === null || $since < $oldest->bodySince())) {
                $oldest = $connection;
            }
        }

        if ($oldest !== null) {
            $this->countDropped('memory_limit');
            $oldest->rejectOverloaded();
        }
    }

    /** Closing a connection that has sent no bytes cannot lose a request. */
    private function abortWithoutData(int $now): void
    {
        foreach ($this->connections as $connection) {
            if ($connection->hasReceivedNothing() && $now - $connection->readAt >= self::NO_DATA_NANOS) {
                $connection->abort();
                $this->countDropped('no_data');
            }
        }
    }

    private function countDropped(?string $reason): void
    {
        if ($reason !== null) {
            $this->metrics->countDroppedConnection($reason);
        }
    }

    private static function host(string $peer): string
    {
        $colon = strrpos($peer, ':');

        return $colon === false ? '' : trim(substr($peer, 0, $colon), '[]');
    }
}
