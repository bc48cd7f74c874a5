<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Support\PhpRestrictions;
use Throwable;

/**
 * Connects when it is first used, and again after a failure that leaves a connection useless and after a fork. A command is
 * sent once: whether to send it again is for the caller to decide, who knows whether that does harm.
 *
 * @internal
 */
final class ReconnectingClient implements Client, HasReadTimeout
{
    /** One that was used a moment ago is not asked first whether it lives. */
    private const IDLE_NANOS = 1_000_000_000;

    /** Error replies after which another server may be the one to talk to, or another login is needed. */
    private const ELSEWHERE = ['READONLY', 'MASTERDOWN', 'CLUSTERDOWN', 'MOVED', 'ASK', 'NOAUTH'];

    private ?Connection $connection = null;

    private int $process = 0;

    private int $usedNanos = 0;

    /** @param Closure(): Connection $open a new connection, of nobody else's; throws RedisFailure */
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
            // Another connection has written nothing, and Redis would say at once that all its writes have arrived.
            return $this->connection !== null && $this->process === PhpRestrictions::pid()
                ? $this->send($this->connection, $key, $command)
                : throw RedisFailure::replyLost('the connection that wrote is lost, and no other can wait for its writes');
        }

        return $this->send($this->living($key), $key, $command);
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
            if ($e instanceof RedisFailure && $e->kind !== '' && ! in_array($e->kind, self::ELSEWHERE, true)) {
                $this->keep($connection);
            } else {
                // The next command must not get the answer to this one.
                $connection->close();
            }

            throw $e;
        }

        $this->keep($connection);

        return $reply;
    }

    /** A server that was restarted, or closed an idle connection, is noticed before something is sent that may be lost. */
    private function living(string $key): Connection
    {
        $connection = $this->opened();

        if ($this->clock->monotonicNanos() - $this->usedNanos > self::IDLE_NANOS) {
            try {
                $this->send($connection, $key, ['PING']);
            } catch (RedisFailure) {
                // What is wrong is for the command itself to meet.
            }
        }

        return $this->opened();
    }

    private function opened(): Connection
    {
        if ($this->connection !== null && $this->process !== PhpRestrictions::pid()) {
            // The process that this one was forked from goes on with it.
            $this->connection->close();
            $this->connection = null;
        }

        if ($this->connection === null) {
            $this->keep(($this->open)());
        }

        return $this->connection;
    }

    /** @phpstan-assert !null $this->connection */
    private function keep(Connection $connection): void
    {
        $this->connection = $connection;
        $this->process = PhpRestrictions::pid();
        $this->usedNanos = $this->clock->monotonicNanos();
    }
}
