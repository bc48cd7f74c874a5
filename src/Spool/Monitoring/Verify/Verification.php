<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

/**
 * One bucket, read to its last byte, in numbers.
 *
 * @internal
 */
final class Verification
{
    public int $segments = 0;

    public int $slots = 0;

    public int $bytes = 0;

    public int $frames = 0;

    /** In segments, whether delivered or not. */
    public int $sealedEvents = 0;

    public int $activeEvents = 0;

    /** Sealed and not delivered. */
    public int $pendingSealed = 0;

    /** Between the cursor in the state file and the end of the segments. */
    public int $pendingByState = 0;

    /** Never acknowledged. */
    public int $torn = 0;

    public int $damaged = 0;

    /** False when a file was cleaned away, or could not be read, before it was counted. */
    public bool $isWhole = true;

    /** What was to be delivered was delivered and cleaned away before it was read. */
    public bool $isOvertaken = false;

    public int $accepted = 0;

    public int $delivered = 0;

    public int $dead = 0;

    /** Letters that are in the log again: each lies there twice, and is one event. */
    public int $revived = 0;

    /** Not behind the cursor, since a database was restored, and not to be handed over all the same. */
    public int $buried = 0;

    public int $missing = 0;

    public int $deadLetters = 0;

    public int $wrong = 0;

    public int $notes = 0;

    public function __construct(public readonly string $bucket) {}

    public function pending(): int
    {
        return $this->pendingSealed + $this->activeEvents - $this->buried;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'bucket' => $this->bucket,
            'segments' => $this->segments,
            'slots' => $this->slots,
            'bytes' => $this->bytes,
            'frames' => $this->frames,
            'accepted' => $this->accepted,
            'delivered' => $this->delivered,
            'dead' => $this->dead,
            'pending' => $this->pending(),
            'missing' => $this->missing,
            'torn' => $this->torn,
            'damaged' => $this->damaged,
            'dead_letters' => $this->deadLetters,
            'wrong' => $this->wrong,
            'notes' => $this->notes,
        ];
    }
}
