<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Closure;
use ErrorException;
use Redis;
use RedisException;

/**
 * A connection to one server through phpredis. Nothing else may use the client, because its options are changed.
 * Commands go through rawcommand(), the only method to which no serializer, compression or prefix applies.
 *
 * @internal
 */
final readonly class PhpRedisNode implements Connection, HasReadTimeout
{
    private function __construct(private Redis $redis, private string $prefix) {}

    public static function isInstalled(): bool
    {
        return extension_loaded('redis');
    }

    /**
     * @param Closure(): mixed $connect returns a connected Redis
     *
     * @throws RedisFailure
     */
    public static function open(Closure $connect): self
    {
        $connectErrors = new ConnectErrors;

        try {
            $redis = $connectErrors->collect($connect);
            assert($redis instanceof Redis);
            $error = $redis->getLastError();
        } catch (RedisException|ErrorException $e) {
            // An error reply begins with a word in capitals.
            throw preg_match('/^[A-Z]{3,} /', $e->getMessage()) === 1
                ? RedisFailure::refused(self::reply($e->getMessage()), $e)
                : RedisFailure::notReached($connectErrors->reason($e->getMessage()), $e);
        }

        if ($error !== null) {
            // phpredis does not throw when the server refuses SELECT. The next write would go to another database.
            $redis->close();

            throw RedisFailure::refused(self::reply($error));
        }

        $prefix = $redis->getOption(Redis::OPT_PREFIX);
        $redis->setOption(Redis::OPT_REPLY_LITERAL, true);
        $redis->setOption(Redis::OPT_NULL_MULTIBULK_AS_NULL, true);
        // With retries phpredis would reconnect by itself, which a Connection must never do.
        $redis->setOption(Redis::OPT_MAX_RETRIES, 0);

        return new self($redis, is_string($prefix) ? $prefix : '');
    }

    public function send(string $key, array $command): mixed
    {
        $reply = $this->ask($command);

        if ($reply === false) {
            $this->requireEcho();
        }

        return self::value($reply);
    }

    public function prefix(): string
    {
        return $this->prefix;
    }

    public function readTimeout(): float
    {
        return max(0.0, $this->redis->getReadTimeout());
    }

    public function close(): void
    {
        $this->redis->close();
    }

    /** @param non-empty-list<string|int> $command */
    private function ask(array $command): mixed
    {
        try {
            $this->redis->clearLastError();
            // The warnings are suppressed, because an application's error handler would throw them. phpredis also
            // reports each failure by an exception, by its last error, or by false.
            $reply = @$this->redis->rawcommand(...array_map(strval(...), $command));
            $error = $this->redis->getLastError();
        } catch (RedisException|ErrorException $e) {
            $error = $this->redis->getLastError();

            // The message for a lost connection is the same before and after sending, so the command may have run.
            throw $error !== null && $error === $e->getMessage()
                ? RedisFailure::refused(self::reply($error), $e)
                : RedisFailure::replyLost($e->getMessage(), $e);
        }

        return $error === null ? $reply : throw RedisFailure::refused(self::reply($error));
    }

    /**
     * Tells apart the two meanings of false: an empty reply, and a command that could not be sent. Over a connection
     * that broke, or that carries half a command, ECHO does not come back. An error reply proves a working connection
     * as well.
     */
    private function requireEcho(): void
    {
        try {
            $echo = $this->ask(['ECHO', self::class]);
        } catch (RedisFailure $e) {
            $echo = $e->kind === '' ? throw $e : self::class;
        }

        if ($echo !== self::class) {
            throw RedisFailure::replyLost('the connection broke while the command was sent');
        }
    }

    private static function value(mixed $reply): mixed
    {
        return match (true) {
            is_array($reply) => array_map(self::value(...), $reply),
            $reply === false => null,
            default => $reply,
        };
    }

    private static function reply(string $error): string
    {
        return rtrim($error, "\0");
    }
}
