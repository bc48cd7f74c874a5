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
 * All clients of one worker: takes them in, up to the descriptors it may have, and sees to their timeouts.
 *
 * @internal
 */
final class ConnectionManager
{
    /** More in one tick would keep those waiting who are here already. */
    private const ACCEPT_AT_ONCE = 64;

    /** Who asks how the collector is gets in when nobody else does. */
    private const KEPT_FOR_ADMIN = 16;

    /** One that has been silent for so long is hung up on where others wait outside. */
    private const SPARE_NANOS = 5_000_000_000;

    /** One that has never asked for anything. */
    private const MUTE_NANOS = 2_000_000_000;

    /** Of one round of the loop: timers, and the disk, have their turn as well. */
    private const ROUND_NANOS = 50_000_000;

    /** libevent takes 32 clients in the first, and twice as many in each that follows. */
    private const ROUNDS_BEFORE_JUDGEMENT = 10;

    private ?int $roundEnds = null;

    /** Bytes of requests that are not whole, of all. */
    private int $held = 0;

    /** @var array<int, Connection> by the number of their stream */
    private array $connections = [];

    /** @var array<string, Listener> that are accepted from, by name */
    private array $open = [];

    private bool $isPaused = false;

    private bool $isDraining = false;

    private readonly ResponseWriter $writer;

    /**
     * @param array<string, Listener> $listeners by name: main, admin
     * @param array<string, RequestDispatcher> $services by the same names
     * @param Closure(string): void $say
     */
    public function __construct(
        private readonly LoopInterface $loop,
        private readonly Clock $clock,
        private readonly array $listeners,
        private readonly array $services,
        private readonly RequestLimits $limits,
        private readonly Timeouts $timeouts,
        private readonly FileDescriptorBudget $descriptors,
        private readonly MetricsRegistry $meter,
        private readonly Closure $say,
    ) {
        $this->writer = new ResponseWriter($clock);
    }

    public function open(): void
    {
        foreach (array_keys($this->listeners) as $name) {
            $this->openOne($name);
        }
    }

    public function now(): int
    {
        return $this->clock->monotonicNanos();
    }

    public function count(): int
    {
        return count($this->connections);
    }

    public function isPaused(): bool
    {
        return $this->isPaused;
    }

    /** Whether whoever is answered had better come again, to another worker. */
    public function areToLeave(): bool
    {
        // A call that waits for a descriptor could have that of a client.
        return $this->isDraining || $this->descriptors->waiting > 0;
    }

    /** Whether the requests of this round have had their time; what has come waits for the next one. */
    public function isRoundOver(): bool
    {
        $now = $this->now();

        if ($this->roundEnds === null) {
            $this->roundEnds = $now + self::ROUND_NANOS;
            $this->later(function (): void {
                $this->roundEnds = null;
            });
        }

        return $now > $this->roundEnds;
    }

    /** @param int $more bytes of requests that are not whole */
    public function hold(int $more): void
    {
        $this->held += $more;

        if ($more > 0 && $this->held > $this->limits->unfinishedBytes) {
            $this->makeRoom();
        }
    }

    /** @param Closure(): void $what once the loop has gone round */
    public function later(Closure $what): void
    {
        $this->loop->futureTick($what);
    }

    /**
     * @param resource $stream
     * @param ?Closure(): void $listener
     */
    public function watchRead($stream, ?Closure $listener): void
    {
        $listener === null ? $this->loop->removeReadStream($stream) : $this->loop->addReadStream($stream, $listener);
    }

    /**
     * @param resource $stream
     * @param ?Closure(): void $listener
     */
    public function watchWrite($stream, ?Closure $listener): void
    {
        $listener === null ? $this->loop->removeWriteStream($stream) : $this->loop->addWriteStream($stream, $listener);
    }

    /** @param resource $stream */
    public function forget($stream, bool $isReading, bool $isWriting): void
    {
        if ($isReading) {
            $this->loop->removeReadStream($stream);
        }

        if ($isWriting) {
            $this->loop->removeWriteStream($stream);
        }

        unset($this->connections[(int) $stream]);
        $this->descriptors->clients--;
        $this->goOn();
    }

    private function goOn(): void
    {
        if ($this->isPaused && $this->descriptors->hasRoomAgain()) {
            $this->isPaused = false;
            ($this->say)('accepting again');

            if (! $this->isDraining) {
                $this->openOne('main');
            }
        }
    }

    /**
     * About once a second. What has come while this process was kept from reading is read before anybody is judged by
     * how long he was silent: timers come before the sockets, and of many clients an extension's loop
     * reads some in each round.
     *
     * @param Closure(): void $then
     */
    public function sweep(?Closure $then = null): void
    {
        $this->afterRounds(self::ROUNDS_BEFORE_JUDGEMENT, function () use ($then): void {
            $this->judge();

            if ($then !== null) {
                $then();
            }
        });
    }

    private function afterRounds(int $rounds, Closure $what): void
    {
        $this->later($rounds === 1 ? $what : fn () => $this->afterRounds($rounds - 1, $what));
    }

    private function judge(): void
    {
        $now = $this->now();

        foreach ($this->connections as $connection) {
            $why = $connection->overdue($now, $this->timeouts);

            if ($why !== null && $why !== 'lingered') {
                $this->meter->count('headroom_connections_dropped_total{reason="'.$why.'"}');
            }
        }

        if ($this->isDraining) {
            $this->hangUpIdle($now, $this->timeouts->drainIdle * 1_000_000_000, PHP_INT_MAX);
        } elseif ($this->isPaused) {
            $this->dropMute($now);
            $this->hangUpIdle($now, self::SPARE_NANOS, max(1, intdiv($this->descriptors->cap, 10)));
            // Calls that have ended make room as well.
            $this->goOn();
        }
    }

    /**
     * No new ones. Those who are here are answered and told that it was the last time; who asks nothing is hung up on.
     *
     * @param bool $isLast nobody comes after this worker: who waits at the door is still taken in
     */
    public function drain(bool $isLast): void
    {
        if ($isLast) {
            foreach ($this->open as $name => $listener) {
                $this->accept($listener, $name, PHP_INT_MAX);
            }
        }

        $this->isDraining = true;
        array_map($this->close(...), array_keys($this->open));
    }

    public function dropAll(): void
    {
        foreach ($this->connections as $connection) {
            $connection->isLingering() ? $connection->drop('stopped') : $connection->hangUp('stopped');
        }
    }

    private function openOne(string $name): void
    {
        $listener = $this->listeners[$name];
        $this->open[$name] = $listener;
        $this->loop->addReadStream($listener->stream, function () use ($listener, $name): void {
            $this->accept($listener, $name, self::ACCEPT_AT_ONCE);
        });
    }

    private function close(string $name): void
    {
        if (isset($this->open[$name])) {
            $this->loop->removeReadStream($this->open[$name]->stream);
            unset($this->open[$name]);
        }
    }

    private function accept(Listener $listener, string $name, int $most): void
    {
        for ($taken = 0; $taken < $most; $taken++) {
            if (! $this->descriptors->hasRoom($name === 'main' ? 0 : self::KEPT_FOR_ADMIN)) {
                $this->pause($name);

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
            $this->meter->count('headroom_connections_total');
            $this->connections[(int) $stream] = new Connection(
                $stream,
                new RequestParser($this->limits->message),
                self::host($peer),
                $this->writer,
                $this,
                $this->services[$name],
                $this->now(),
            );
        }
    }

    private function pause(string $name): void
    {
        $this->close($name);

        if ($name !== 'main') {
            $this->loop->addTimer(1.0, fn () => $this->isDraining ? null : $this->openOne($name));
        } elseif (! $this->isPaused) {
            $this->isPaused = true;
            $this->meter->count('headroom_accept_pauses_total');
            ($this->say)(
                "accepting paused: {$this->descriptors->clients} connections and {$this->descriptors->calls} of"
                    ." handlers are all the {$this->descriptors->cap} descriptors that this worker may have."
                    .' Others wait; more workers, or the extension event, take more',
            );
        }
    }

    private function hangUpIdle(int $now, int $silent, int $most): void
    {
        foreach ($this->connections as $connection) {
            if (
                $most > 0
                && $connection->isIdle()
                && $now - max($connection->readAt, $connection->wroteAt) >= $silent
            ) {
                $connection->hangUp('spare');
                $most--;
            }
        }
    }

    /** Whoever is quick is not to suffer from those who are slow, or mean to be. */
    private function makeRoom(): void
    {
        $oldest = null;

        foreach ($this->connections as $connection) {
            $since = $connection->bodySince();

            if ($since !== null && ($oldest === null || $since < $oldest->bodySince())) {
                $oldest = $connection;
            }
        }

        if ($oldest !== null) {
            $this->meter->count('headroom_connections_dropped_total{reason="crowded"}');
            $oldest->giveWay();
        }
    }

    /** Who has connected and never said a word loses nothing. */
    private function dropMute(int $now): void
    {
        foreach ($this->connections as $connection) {
            if ($connection->isMute() && $now - $connection->readAt >= self::MUTE_NANOS) {
                $connection->drop('mute');
                $this->meter->count('headroom_connections_dropped_total{reason="mute"}');
            }
        }
    }

    private static function host(string $peer): string
    {
        $colon = strrpos($peer, ':');

        return $colon === false ? '' : trim(substr($peer, 0, $colon), '[]');
    }
}
