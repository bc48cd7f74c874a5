<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * Accepts events. When a call returns, the event survives the death of any process and will be delivered;
 * when it throws, nothing of it was accepted. Safe to call from any number of processes at once.
 */
interface Buffer
{
    /**
     * @param array<array-key, mixed> $event a row by column name, or ['payload' => row]
     *
     * @throws InvalidEvent the event can not be carried; nothing was written
     * @throws UnableToAppend the buffer can not take it now; nothing of it is in the buffer
     */
    public function buffer(array $event, ?string $bucket = null): void;

    /** @throws InvalidBucket */
    public function bucket(string $name): Bucket;

    /**
     * Keeps the open slot from the second event on until the callback ends: for loops in processes that live long.
     *
     * @template TResult
     *
     * @param callable(): TResult $work
     * @return TResult
     */
    public function hold(callable $work): mixed;
}
