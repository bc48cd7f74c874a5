<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Headroom\Core\Retryable;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * Thrown when Redis cannot be reached, refuses a command, or does not reply to it.
 *
 * @internal
 */
final class RedisFailure extends RuntimeException implements Retryable
{
    /**
     * @param string $kind first word of an error reply, such as OOM, READONLY or CLUSTERDOWN;
     *     empty when there was no reply
     * @param bool $mayHaveRun the command was sent and no reply came, so Redis may or may not have run it
     */
    private function __construct(
        string $message,
        public readonly string $kind,
        public readonly bool $mayHaveRun,
        ?Throwable $previous = null,
    ) {
        parent::__construct(TerminalText::line(rtrim($message, '. ').'.'), 0, $previous);
    }

    public static function notReached(string $reason, ?Throwable $previous = null): self
    {
        return new self("Redis cannot be reached: {$reason}", '', false, $previous);
    }

    public static function refused(string $reply, ?Throwable $previous = null): self
    {
        return new self("Redis refuses: {$reply}", explode(' ', $reply, 2)[0], false, $previous);
    }

    public static function replyLost(string $reason, ?Throwable $previous = null): self
    {
        return new self("Redis was asked and did not answer: {$reason}", '', true, $previous);
    }
}
