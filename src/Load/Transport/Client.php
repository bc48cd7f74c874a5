<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Closure;
use Headroom\Core\Clock;
use Headroom\Load\Failure;
use Headroom\Load\Target;

/**
 * Runs many exchanges at once over HTTP/1.1, each alone on its connection, which is kept for the next exchange. The
 * client connects to the host of the URL: it uses no proxy and follows no redirect.
 *
 * @internal
 */
final class Client
{
    /** The smallest interval between two checks for timeouts. */
    private const TIMEOUT_CHECK_NANOS = 1_000_000;

    /** @var array<int, Connection> with an exchange, by stream number */
    private array $busy = [];

    /** @var array<int, resource> */
    private array $reading = [];

    /** @var array<int, resource> */
    private array $writing = [];

    /** @var list<Exchange> */
    private array $ended = [];

    private int $nextTimeout = PHP_INT_MAX;

    /** @var array<string, resource> by origin */
    private array $contexts = [];

    private readonly HostResolver $names;

    private readonly ConnectionPool $pool;

    /**
     * Ignores errors silenced with @, which the error handlers of some applications do not.
     *
     * @var Closure(int): bool
     */
    private readonly Closure $quiet;

    private readonly int $timeoutNanos;

    /**
     * @param float $timeout seconds for a whole exchange
     * @param bool $insecure whether a certificate that cannot be verified is accepted
     * @param int $most open connections, unless there are more exchanges at once
     * @param ?HostResolver $names null for the resolver of the system
     */
    public function __construct(
        private readonly Clock $clock,
        private readonly float $timeout,
        private readonly bool $insecure,
        int $most,
        ?HostResolver $names = null,
    ) {
        $this->names = $names ?? new HostResolver($clock);
        $this->pool = new ConnectionPool($most);
        $this->quiet = static fn (int $level): bool => (error_reporting() & $level) === 0;
        $this->timeoutNanos = (int) ($timeout * 1e9);
    }

    public function begin(Exchange $exchange): void
    {
        $exchange->begun = $this->clock->monotonicNanos();
        $this->nextTimeout = min($this->nextTimeout, $exchange->begun + $this->timeoutNanos);
        set_error_handler($this->quiet);

        try {
            $connection = $this->pool->take($exchange->target->origin, $exchange->begun);

            if ($connection === null) {
                $this->connect($exchange);
            } else {
                $this->put($connection, $exchange);
            }
        } finally {
            restore_error_handler();
        }
    }

    /** Begun, and not yet returned by work(). */
    public function inFlight(): int
    {
        return count($this->busy) + count($this->ended);
    }

    /**
     * Sends and receives; waits at most this long for the first event.
     *
     * @return list<Exchange> that have ended
     */
    public function work(int $micros): array
    {
        if ($this->busy !== []) {
            // Exchanges that failed at once are returned now; the others are read without waiting.
            set_error_handler($this->quiet);

            try {
                $this->wait($this->ended === [] ? $micros : 0);
            } finally {
                restore_error_handler();
            }
        }

        $ended = $this->ended;
        $this->ended = [];

        return $ended;
    }

    public function close(): void
    {
        array_map($this->pool->drop(...), $this->busy);
        $this->pool->close();
        $this->busy = $this->reading = $this->writing = [];
    }

    private function wait(int $micros): void
    {
        $readable = $this->reading;
        $writable = $this->writing;
        $except = null;
        $micros = max(0, min($micros, intdiv($this->nextTimeout - $this->clock->monotonicNanos(), 1_000) + 1));

        // A signal interrupts stream_select().
        if (@stream_select($readable, $writable, $except, intdiv($micros, 1_000_000), $micros % 1_000_000) !== false) {
            foreach ($writable as $number => $_) {
                $this->write($this->busy[$number]);
            }

            foreach ($readable as $number => $_) {
                // The write may have failed.
                if (isset($this->busy[$number])) {
                    $this->read($this->busy[$number]);
                }
            }
        }

        $now = $this->clock->monotonicNanos();

        if ($now >= $this->nextTimeout) {
            $this->giveUpLate($now);
        }
    }

    private function write(Connection $connection): void
    {
        try {
            $isNew = $connection->isConnecting();
            $connection->write($this->clock->monotonicNanos());
            $this->watch($connection);

            if ($isNew) {
                $this->names->prefer($connection->exchange->target->host, $connection->address);
            }

            $this->endIfOpen($connection);
        } catch (UnableToExchange $e) {
            $this->failed($connection, $e);
        }
    }

    private function read(Connection $connection): void
    {
        try {
            $data = $connection->read();

            if ($data === '') {
                $this->watch($connection);
                $this->endIfOpen($connection);

                return;
            }

            $now = $this->clock->monotonicNanos();

            if ($data === null) {
                $connection->end();
                $this->leave($connection);
                $this->pool->drop($connection);
                $this->over($connection->exchange, $now);
            } elseif ($connection->receive($data, $now)) {
                $this->leave($connection);
                $this->pool->keep($connection, $now);
                $this->over($connection->exchange, $now);
            }
        } catch (UnableToExchange $e) {
            $this->failed($connection, $e);
        }
    }

    private function endIfOpen(Connection $connection): void
    {
        if ($connection->isOpen() && $connection->exchange->onlyConnects()) {
            $this->leave($connection);
            $this->pool->drop($connection);
            $this->over($connection->exchange, $this->clock->monotonicNanos());
        }
    }

    private function connect(Exchange $exchange): void
    {
        try {
            $addresses = $this->names->addresses($exchange->target->host);
        } catch (UnableToExchange $e) {
            $this->over($exchange, $this->clock->monotonicNanos(), $e);

            return;
        }

        $now = $this->clock->monotonicNanos();

        // The name lookup may have used up the timeout.
        if ($now - $exchange->begun >= $this->timeoutNanos) {
            $this->over($exchange, $now, UnableToExchange::timedOut(Failure::TimeoutConnecting, $this->timeout, 0));

            return;
        }

        $this->connectTo($exchange, $addresses);
    }

    /** @param non-empty-list<string> $addresses in the order of the attempts */
    private function connectTo(Exchange $exchange, array $addresses): void
    {
        $this->pool->makeRoom();
        $others = array_slice($addresses, 1);

        try {
            $this->put(
                new Connection($exchange->target, $addresses[0], $others, $this->context($exchange->target)),
                $exchange,
            );
            $this->pool->opened();
        } catch (UnableToExchange $e) {
            $this->notConnected($exchange, $others, $e);
        }
    }

    /** @param list<string> $others untried addresses */
    private function notConnected(Exchange $exchange, array $others, UnableToExchange $why): void
    {
        if ($others !== []) {
            $exchange->refusals[] = $why->getMessage();
            $this->connectTo($exchange, $others);

            return;
        }

        $this->names->doubt($exchange->target->host);
        $this->over($exchange, $this->clock->monotonicNanos(), $why->after($exchange->refusals));
    }

    private function put(Connection $connection, Exchange $exchange): void
    {
        $this->busy[$connection->number] = $connection;
        $connection->carry($exchange);
        $this->watch($connection);
    }

    /** Selects the connection for the events that it waits for. */
    private function watch(Connection $connection): void
    {
        $number = $connection->number;

        if ($connection->wantsToRead()) {
            $this->reading[$number] = $connection->stream;
        }

        if ($connection->wantsToWrite()) {
            $this->writing[$number] = $connection->stream;
        } else {
            unset($this->writing[$number]);
        }
    }

    private function leave(Connection $connection): void
    {
        unset(
            $this->busy[$connection->number],
            $this->reading[$connection->number],
            $this->writing[$connection->number],
        );
    }

    private function failed(Connection $connection, UnableToExchange $why): void
    {
        $exchange = $connection->exchange;
        $isConnecting = $connection->isConnecting();
        $this->leave($connection);
        $this->pool->drop($connection);

        if ($isConnecting) {
            $this->notConnected($exchange, $connection->others, $why);
        } elseif ($connection->mayResend()) {
            $this->pool->distrust($connection->origin);
            $exchange->isResent = $exchange->isResent || $connection->hasSent();
            $this->connect($exchange);
        } else {
            $this->over($exchange, $this->clock->monotonicNanos(), $why);
        }
    }

    private function over(Exchange $exchange, int $now, ?UnableToExchange $why = null): void
    {
        $exchange->ended = $now;

        if ($why !== null) {
            $exchange->failure = $why->failure;
            $exchange->message = $why->getMessage();
            $exchange->tls = $why->tls;
        }

        $this->ended[] = $exchange;
    }

    private function giveUpLate(int $now): void
    {
        $next = PHP_INT_MAX;

        foreach ($this->busy as $connection) {
            $exchange = $connection->exchange;
            $end = $exchange->begun + $this->timeoutNanos;

            if ($end <= $now) {
                if ($connection->isConnecting()) {
                    $connection->others === []
                        ? $this->names->doubt($exchange->target->host)
                        : $this->names->avoid($exchange->target->host, $connection->address);
                }

                $this->leave($connection);
                $this->pool->drop($connection);
                $this->over(
                    $exchange,
                    $now,
                    UnableToExchange::timedOut($connection->timeout(), $this->timeout, $exchange->bytes),
                );
            } elseif ($end < $next) {
                $next = $end;
            }
        }

        $this->nextTimeout = $next === PHP_INT_MAX ? $next : max($next, $now + self::TIMEOUT_CHECK_NANOS);
    }

    /** @return resource */
    private function context(Target $target): mixed
    {
        return $this->contexts[$target->origin] ??= $this->newContext($target, (string) getenv('SSL_CERT_FILE'));
    }

    /**
     * @param string $authorities file of trusted certificate authorities; empty for PHP's default
     * @return resource
     */
    private function newContext(Target $target, string $authorities): mixed
    {
        return stream_context_create([
            'socket' => ['tcp_nodelay' => true],
            'ssl' => ($authorities === '' ? [] : ['cafile' => $authorities]) + [
                'peer_name' => TlsFailure::serverName($target) ?? $target->host,
                'SNI_enabled' => TlsFailure::serverName($target) !== null,
                'verify_peer' => ! $this->insecure,
                'verify_peer_name' => ! $this->insecure,
                'allow_self_signed' => $this->insecure,
                'alpn_protocols' => 'http/1.1',
            ],
        ]);
    }
}
