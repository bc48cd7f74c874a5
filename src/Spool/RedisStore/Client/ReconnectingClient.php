<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Support\PhpRestrictions;
use Throwable;

/**
 * A client that connects at the first command, and again after a fork or after a failure that makes the connection
 * useless. It sends a command once. The caller decides whether to send it again, because only the caller knows whether
 * that does harm.
 *
 * @internal
 */
final class ReconnectingClient implements Client, HasReadTimeout
{
    /** A connection that was used within this time is not checked with PING before the next command. */
    private const IDLE_NANOS = 1_000_000_000;

    /** Error replies after which a new connection is needed: to another server, or with another login. */
    private const RECONNECT = ['READONLY', 'MASTERDOWN', 'CLUSTERDOWN', 'MOVED', 'ASK', 'NOAUTH'];

    private ?Connection $connection = null;

    private int $process = 0;

    private int $usedNanos = 0;

    /** @param Closure(): Connection $open returns a new connection that nothing else uses; throws RedisFailure */
    public function __construct(private readonly Closure $open, private readonly Clock $clock = new SystemClock) {}

    public function script(string $script, array $keys, array $arguments = []): mixed
    {
        $rest = [count($keys), ...array_map($this->key(...), $keys), ...$arguments];

        try {
            return $this->command($keys[0], ['EVALSHA', sha1($script), ...$rest]);
        } catch (RedisFailure $e) {
            return $e->kind === 'NOSCRIPT' ? $this->command($keys[0], ['EVAL', $script, ...$rest]) : throw $e;
        }
    }

    public function command(string $key, array $command): mixed
    {
        if (strtoupper((string) $command[0]) === 'WAIT') {
            // A new connection has written nothing, so Redis would confirm at once that all its writes have arrived.
            return $this->connection !== null && $this->process === PhpRestrictions::pid()
                ? $this->send($this->connection, $key, $command)
                : throw RedisFailure::replyLost(
                    'the connection that wrote is lost, and no other can wait for its writes',
                );
        }

        return $this->send($this->checkedConnection($key), $key, $command);
    }

    public function key(string $key): string
    {
        return $this->opened()->prefix().$key;
    }

    public function readTimeout(): float
    {
        $connection = $this->opened();

        return $connection instanceof HasReadTimeout ? $connection->readTimeout() : 0.0;
    }

    /** @param non-empty-list<string|int> $command */
    private function send(Connection $connection, string $key, array $command): mixed
    {
        $this->connection = null;

        try {
            $reply = $connection->send($key, $command);
        } catch (Throwable $e) {
            if ($e instanceof RedisFailure && $e->kind !== '' && ! in_array($e->kind, self::RECONNECT, true)) {
                $this->setConnection($connection);
            } else {
                // The reply may still come, and the next command must not get it.
                $connection->close();
            }

            throw $e;
        }

        $this->setConnection($connection);

        return $reply;
    }

    /**
     * Sends PING over an idle connection. A server that restarted or closed it is noticed before a command can be lost.
     */
    private function checkedConnection(string $key): Connection
    {
        $connection = $this->opened();

        if ($this->clock->monotonicNanos() - $this->usedNanos > self::IDLE_NANOS) {
            try {
                $this->send($connection, $key, ['PING']);
            } catch (RedisFailure) {
                // The command itself reports the failure, over a new connection.
            }
        }

        return $this->opened();
    }

    private function opened(): Connection
    {
        if ($this->connection !== null && $this->process !== PhpRestrictions::pid()) {
            // The parent process still uses the connection that this fork inherited.
            $this->connection->close();
            $this->connection = null;
        }

        if ($this->connection === null) {
            $this->setConnection(($this->open)());
        }

        return $this->connection;
    }

    /** @phpstan-assert !null $this->connection */
    private function setConnection(Connection $connection): void
    {
        $this->connection = $connection;
        $this->process = PhpRestrictions::pid();
        $this->usedNanos = $this->clock->monotonicNanos();
    }
}
