<?php

declare(strict_types=1);

namespace Headroom\Spool\Events;

use DateTimeImmutable;
use Throwable;

/**
 * A flush of a bucket failed; the events that it did not deliver stay in the buffer. Dispatched once per attempt, after
 * the process has released the bucket.
 */
final readonly class FlushFailed
{
    /**
     * @param string $reason one line of at most 4096 bytes, as the log has it
     * @param class-string<Throwable> $exception class of the failure
     * @param ?int<1, max> $attempts failures in a row, this one included; null if the buffer could not save the number.
     *     Such a failure is dispatched once per incident, at most once a minute
     * @param bool $isRetryable false if each attempt fails until the configuration, the code or the data is changed
     * @param ?DateTimeImmutable $nextAttemptAt in UTC; flushes before it skip the bucket. Null if the next flush does
     *     not wait
     */
    public function __construct(
        public string $bucket,
        public string $reason,
        public string $exception,
        public ?int $attempts,
        public bool $isRetryable,
        public ?DateTimeImmutable $nextAttemptAt,
    ) {}
}
