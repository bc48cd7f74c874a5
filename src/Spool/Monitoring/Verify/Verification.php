<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

/**
 * The result of the verification of one bucket.
 *
 * @internal
 */
final class Verification
{
    public int $segments = 0;

    public int $slots = 0;

    public int $bytes = 0;

    public int $frames = 0;

    /** Events in sealed segments, delivered or not. */
    public int $sealedEvents = 0;

    public int $activeEvents = 0;

    /** Undelivered events in sealed segments. */
    public int $pendingSealed = 0;

    /** Events between the cursor of the state file and the end of the sealed segments. */
    public int $pendingByState = 0;

    /** Torn frames, which were never acknowledged. */
    public int $torn = 0;

    public int $damaged = 0;

    /** False when a file was cleaned away, or could not be read, before it was counted. */
    public bool $isWhole = true;

    /** True when a file with undelivered events was delivered and cleaned away before it was read. */
    public bool $isOvertaken = false;

    public int $accepted = 0;

    public int $delivered = 0;

    public int $dead = 0;

    /** Retried dead letters. Each is in the log twice and counts as one event. */
    public int $retriedLetters = 0;

    /** Dead events at or after the cursor, because a database was restored. They are not sent. */
    public int $tombstones = 0;

    public int $missing = 0;

    public int $deadLetters = 0;

    public int $wrong = 0;

    public int $notes = 0;

    public function __construct(public readonly string $bucket) {}

    public function pending(): int
    {
        return $this->pendingSealed + $this->activeEvents - $this->tombstones;
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
