<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Closure;
use Generator;
use Headroom\Core\Position;
use Headroom\Spool\Exceptions\CorruptSegment;
use Headroom\Spool\Exceptions\UnsupportedFormat;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Spool\Store\LogEntries;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\UnableToFlush;

/**
 * Entries of a stream as a log has them, by pieces of about a mebibyte. Each entry says how many events there were up
 * to its end, so that what somebody removed in between is missed.
 *
 * @internal
 */
final class StreamReader
{
    /** An entry can take 8 MiB, and some are read at once. */
    private const BYTES = 1_048_576;

    /**
     * @param Closure(string, string, int): mixed $chunk entries from one id to another one, about so many bytes
     * @param int $told total up to which it was told what vanished
     * @param ?int $total events before the first entry; null where that is not known
     * @param ?Closure(string, list<mixed>): MissingRange $setAside what becomes of an entry that the buffer did not
     *     make: its id, its fields. Without it, it stays
     */
    public function __construct(
        private readonly Closure $chunk,
        private readonly string $bucket,
        public ?int $total = null,
        private readonly int $told = 0,
        private readonly ?Closure $setAside = null,
    ) {}

    /**
     * @param string $last id of the last one to read
     * @return Generator<int, LogEntries|MissingRange>
     *
     * @throws UnableToFlush
     * @throws RedisFailure
     */
    public function read(Position $from, string $last): Generator
    {
        $start = StreamId::of($from);

        // Redis refuses a range from behind the greatest id of all.
        while ($start !== "({$last}") {
            $entries = ($this->chunk)($start, $last, self::BYTES);

            if (! is_array($entries) || $entries === []) {
                return;
            }

            $run = new EntryGrouper;

            foreach ($entries as $entry) {
                [$id, $fields] = $this->parts($entry);
                $start = "({$id}";
                $entry = StreamEntry::of($id, $fields);

                if ($entry === null) {
                    yield from $run->end($from);
                    yield $this->setAside === null
                        ? MissingRange::strange(StreamId::position($id), $id)
                        : ($this->setAside)($id, $fields);

                    continue;
                }

                if ($entry->version !== 1) {
                    throw UnsupportedFormat::ofEntry($this->bucket, $id, $entry->version);
                }

                $gap = $this->total === null ? 0 : $entry->total - $entry->count - $this->total;
                $this->total = $entry->total;

                if ($gap > 0 || ! $run->takes($entry)) {
                    yield from $run->end($from);
                }

                if ($gap > 0 && $entry->total - $entry->count > $this->told) {
                    yield MissingRange::vanished($entry->position(), $gap);
                }

                $run->add($entry);
            }

            yield from $run->end($from);
        }
    }

    /** @return array{string, list<mixed>} */
    private function parts(mixed $entry): array
    {
        if (is_array($entry) && is_string($entry[0] ?? null) && is_array($entry[1] ?? null)) {
            return [$entry[0], array_values($entry[1])];
        }

        throw CorruptSegment::undecodable($this->bucket, 'Redis answered with something that is no entry of a stream.');
    }
}
