<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Closure;
use ErrorException;
use Redis;
use RedisException;

/**
 * A server through phpredis. The client must be nobody else's: its options are changed. rawcommand() is the one method that
 * no serializer, compression or prefix touches.
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
     * @param Closure(): mixed $connect a Redis
     *
     * @throws RedisFailure
     */
    public static function open(Closure $connect): self
    {
        $handshake = new ConnectErrors;

        try {
            $redis = $handshake->make($connect);
            assert($redis instanceof Redis);
            $error = $redis->getLastError();
        } catch (RedisException|ErrorException $e) {
            // An error reply begins with a word in capitals.
            throw preg_match('/^[A-Z]{3,} /', $e->getMessage()) === 1 ? RedisFailure::refused(self::reply($e->getMessage()), $e) : RedisFailure::notReached($handshake->reason($e->getMessage()), $e);
        }

        if ($error !== null) {
            // Such as a SELECT that was refused, which is not thrown: what is written next would go to another database.
            $redis->close();

            throw RedisFailure::refused(self::reply($error));
        }

        $prefix = $redis->getOption(Redis::OPT_PREFIX);
        $redis->setOption(Redis::OPT_REPLY_LITERAL, true);
        $redis->setOption(Redis::OPT_NULL_MULTIBULK_AS_NULL, true);
        // It would connect again behind our back.
        $redis->setOption(Redis::OPT_MAX_RETRIES, 0);

        return new self($redis, is_string($prefix) ? $prefix : '');
    }

    public function send(string $key, array $command): mixed
    {
        $reply = $this->ask($command);

        if ($reply === false) {
            $this->demandStep();
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
            // What it warns of, it says or shows in another way; an application's error handler would throw it.
            $reply = @$this->redis->rawcommand(...array_map(strval(...), $command));
            $error = $this->redis->getLastError();
        } catch (RedisException|ErrorException $e) {
            $error = $this->redis->getLastError();

            // Its words for a connection that is lost are the same before and after sending.
            throw $error !== null && $error === $e->getMessage() ? RedisFailure::refused(self::reply($error), $e) : RedisFailure::replyLost($e->getMessage(), $e);
        }

        return $error === null ? $reply : throw RedisFailure::refused(self::reply($error));
    }

    /**
     * The same false says that there is nothing, and that the command could not be sent. Over a connection that broke, or has
     * half a command on it, no echo comes back; an error reply is an answer as well.
     */
    private function demandStep(): void
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
