<?php

declare(strict_types=1);

namespace Headroom\Spool\History;

/**
 * One minute of one bucket; docs/spool-format.md, "The history file". A number is null if no process observed it.
 *
 * @internal
 */
final readonly class HistoryMinute
{
    public const BYTES = 128;

    private const FORMAT = 'JNJJJJJJJNNNNJJJ';

    private const MAX_UINT32 = 0xFFFF_FFFF;

    /**
     * @param int $minute minutes since the Unix epoch
     * @param ?int $accepted total of the bucket when it was last observed in this minute, as $delivered, $dead and
     *     $dropped are
     * @param ?int $pending events that waited at that time
     * @param ?int $oldestMilliseconds age of the oldest of these; null also if no event waited
     * @param int $flushes flushes that delivered an event, made a dead letter or failed
     * @param int $failed of these, flushes that failed
     * @param int $batches batches that the sink took in this minute
     * @param int $events events in these batches
     * @param int $deliveryMicros time that all these batches took
     * @param int $slowestMicros time of the slowest batch
     * @param ?int $usedBytes bytes of the files with undelivered events
     */
    public function __construct(
        public int $minute,
        public ?int $accepted = null,
        public ?int $delivered = null,
        public ?int $dead = null,
        public ?int $dropped = null,
        public ?int $pending = null,
        public ?int $oldestMilliseconds = null,
        public int $flushes = 0,
        public int $failed = 0,
        public int $batches = 0,
        public int $events = 0,
        public int $largestBatch = 0,
        public int $deliveryMicros = 0,
        public int $slowestMicros = 0,
        public ?int $usedBytes = null,
    ) {}

    public function isObserved(): bool
    {
        return $this->accepted !== null;
    }

    /**
     * Adds the events that a flush delivered just before the bucket was counted: they waited for it.
     *
     * @param ?int $oldestMilliseconds age of the oldest of them
     */
    public function with(int $waited, ?int $oldestMilliseconds): self
    {
        return $waited === 0 ? $this : new self(
            $this->minute,
            $this->accepted,
            $this->delivered,
            $this->dead,
            $this->dropped,
            $this->pending === null ? null : $this->pending + $waited,
            max($this->oldestMilliseconds, $oldestMilliseconds),
            $this->flushes,
            $this->failed,
            $this->batches,
            $this->events,
            $this->largestBatch,
            $this->deliveryMicros,
            $this->slowestMicros,
            $this->usedBytes,
        );
    }

    /** Adds what another record has of the same minute. Its observation, if it has one, is the later one. */
    public function plus(self $later): self
    {
        $seen = $later->isObserved() ? $later : $this;

        return new self(
            $this->minute,
            $seen->accepted,
            $seen->delivered,
            $seen->dead,
            $seen->dropped,
            $seen->pending,
            $seen->oldestMilliseconds,
            $this->flushes + $later->flushes,
            $this->failed + $later->failed,
            $this->batches + $later->batches,
            $this->events + $later->events,
            max($this->largestBatch, $later->largestBatch),
            $this->deliveryMicros + $later->deliveryMicros,
            max($this->slowestMicros, $later->slowestMicros),
            $seen->usedBytes,
        );
    }

    /** @return string BYTES bytes */
    public function encode(): string
    {
        $observed = $this->observed();
        $known = 0;

        foreach ($observed as $bit => $value) {
            $known |= $value === null ? 0 : 1 << $bit;
        }

        $record = str_pad(pack(
            self::FORMAT,
            $this->minute,
            $known,
            ...array_map(intval(...), $observed),
            ...array_map(
                static fn (int $count): int => min(self::MAX_UINT32, $count),
                [$this->flushes, $this->failed, $this->batches, $this->largestBatch],
            ),
            ...[$this->events, $this->deliveryMicros, $this->slowestMicros],
        ), self::BYTES - 4, "\0");

        return hash('crc32c', $record, true).$record;
    }

    /** Returns null when the bytes are no whole record. */
    public static function decode(string $bytes): ?self
    {
        if (strlen($bytes) !== self::BYTES || hash('crc32c', substr($bytes, 4), true) !== substr($bytes, 0, 4)) {
            return null;
        }

        /** @var non-empty-array<string, int> $numbers */
        $numbers = unpack('J1a/N1b/J7c/N4d/J3e', $bytes, 4);
        [$minute, $known] = [$numbers['a'], $numbers['b']];

        // A process of another version, or another program, may have written a number that no count can have.
        if ($minute <= 0 || min($numbers) < 0) {
            return null;
        }

        $seen = static fn (int $bit): ?int => ($known >> $bit & 1) === 1 ? $numbers['c'.($bit + 1)] : null;

        return new self(
            $minute,
            $seen(0),
            $seen(1),
            $seen(2),
            $seen(3),
            $seen(4),
            $seen(5),
            $numbers['d1'],
            $numbers['d2'],
            $numbers['d3'],
            $numbers['e1'],
            $numbers['d4'],
            $numbers['e2'],
            $numbers['e3'],
            $seen(6),
        );
    }

    /** @return list<?int> in the order of the bits that tell which of them are known */
    private function observed(): array
    {
        return [
            $this->accepted,
            $this->delivered,
            $this->dead,
            $this->dropped,
            $this->pending,
            $this->oldestMilliseconds,
            $this->usedBytes,
        ];
    }
}
