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
 * Reads the entries of a stream as log entries, about a mebibyte at a time. Each entry has the total number of events
 * up to its end, so the reader notices when another program has removed an entry.
 *
 * @internal
 */
final class StreamReader
{
    /** Small, because an entry can have 8 MiB, and Redis reads four entries before it checks the limit. */
    private const BYTES = 1_048_576;

    /**
     * @param Closure(string, string, int): mixed $chunk returns entries from one id to another, about that many bytes
     * @param int $reportedUpTo total number of events up to which missing events were reported
     * @param ?int $total number of events before the first entry; null when it is unknown
     * @param ?Closure(string, list<mixed>): MissingRange $setAside gets the id and the fields of an entry that the
     *     buffer did not write, and moves it to the dead letters; null leaves it in the stream
     */
    public function __construct(
        private readonly Closure $chunk,
        private readonly string $bucket,
        public ?int $total = null,
        private readonly int $reportedUpTo = 0,
        private readonly ?Closure $setAside = null,
    ) {}

    /**
     * @param string $last id of the last entry to read
     * @return Generator<int, LogEntries|MissingRange>
     *
     * @throws UnableToFlush
     * @throws RedisFailure
     */
    public function read(Position $from, string $last): Generator
    {
        $start = StreamId::of($from);

        // Redis refuses a range that begins after the largest possible id.
        while ($start !== "({$last}") {
            $entries = ($this->chunk)($start, $last, self::BYTES);

            if (! is_array($entries) || $entries === []) {
                return;
            }

            $group = new EntryGrouper;

            foreach ($entries as $entry) {
                [$id, $fields] = $this->parts($entry);
                $start = "({$id}";
                $entry = StreamEntry::of($id, $fields);

                if ($entry === null) {
                    yield from $group->end($from);
                    yield $this->setAside === null
                        ? MissingRange::foreignEntry(StreamId::position($id), $id)
                        : ($this->setAside)($id, $fields);

                    continue;
                }

                if ($entry->version !== 1) {
                    throw UnsupportedFormat::ofEntry($this->bucket, $id, $entry->version);
                }

                $missing = $this->total === null ? 0 : $entry->total - $entry->count - $this->total;
                $this->total = $entry->total;

                if ($missing > 0 || ! $group->takes($entry)) {
                    yield from $group->end($from);
                }

                if ($missing > 0 && $entry->total - $entry->count > $this->reportedUpTo) {
                    yield MissingRange::vanished($entry->position(), $missing);
                }

                $group->add($entry);
            }

            yield from $group->end($from);
        }
    }

    /** @return array{string, list<mixed>} */
    private function parts(mixed $entry): array
    {
        if (is_array($entry) && is_string($entry[0] ?? null) && is_array($entry[1] ?? null)) {
            return [$entry[0], array_values($entry[1])];
        }

        throw CorruptSegment::undecodable($this->bucket, 'Redis returned something that is not a stream entry.');
    }
}
