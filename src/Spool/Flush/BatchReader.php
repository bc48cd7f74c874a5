<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use DateTimeImmutable;
use Generator;
use Headroom\Core\Bytes;
use Headroom\Core\Date;
use Headroom\Core\Json;
use Headroom\Core\Position;
use Headroom\Sink\Source;
use Headroom\Spool\Codec;
use Headroom\Spool\Entries;
use Headroom\Spool\Log;
use Headroom\Spool\Loss;
use Headroom\Spool\UnableToDecode;
use Headroom\Spool\UnableToFlush;

use function count;
use function is_array;
use function min;
use function str_contains;
use function strlen;
use function strpos;
use function substr;

/**
 * Cuts a log into parcels. A parcel is a range of the log and spans frames and segments as it fills. What can not be
 * read, or is dead already, comes by itself between two of them.
 *
 * @internal
 *
 * @phpstan-type Place array{Entries, int<0, max>, int<0, 65535>}
 * @phpstan-type Row non-empty-array<string, scalar|null|Json|Bytes|Date|DateTimeImmutable>
 * @phpstan-type Decoded array{Row, ?string, int}
 */
final class BatchReader
{
    /** Of lines: a thousand events of a megabyte each would exhaust any memory limit, and the bucket never get on. */
    private const MAX_BYTES = 4_194_304;

    /** Of the lines since the last delivery. */
    private int $bytes = 0;

    /** @param array<string, true> $dead events that are not to be handed over, by place */
    public function __construct(
        private readonly Log $log,
        private readonly Codec $codec,
        private readonly Source $source,
        private readonly FlushReport $report,
        private readonly array $dead = [],
    ) {}

    /**
     * To be called once.
     *
     * @param int<1, max> $size events per parcel, fewer when they are large
     * @param ?Position $begun where the first parcel must end, whatever its size and the limits
     * @param ?int<1, max> $limit events in all
     * @return Generator<int, Parcel|Condemned>
     *
     * @throws UnableToFlush
     */
    public function read(Position $from, int $size, ?Position $begun = null, ?int $limit = null): Generator
    {
        [$rows, $places, $ownIds, $cursor, $taken] = [[], [], [], $from, 0];

        foreach ($this->events($from) as $place => $item) {
            if ($limit !== null && $taken >= $limit && $begun === null) {
                $this->report->more = true;

                break;
            }

            $taken++;

            if (is_array($item)) {
                [$row, $ownId, $replaced] = $item;
                $this->report->replaced += $replaced;
                $rows[] = $row;
                $places[] = $place;

                if ($ownId !== null) {
                    $ownIds[count($rows) - 1] = $ownId;
                }

                if ($begun === null ? count($rows) < $size && $this->bytes < self::MAX_BYTES : self::behind($place)->compare($begun) < 0) {
                    continue;
                }
            }

            if ($rows !== [] && $places !== []) {
                yield $parcel = new Parcel($this->source, $cursor, $rows, $places, $ownIds);

                [$cursor, $rows, $places, $ownIds, $this->bytes] = [$parcel->end(), [], [], [], 0];
            }

            if (! is_array($item)) {
                $end = self::behind($place);

                yield new Condemned($cursor, self::position($place), $end, $item?->getMessage());

                $cursor = $end;
            }

            $begun = $begun === null || self::behind($place)->compare($begun) >= 0 ? null : $begun;
        }

        if ($begun !== null) {
            throw UnableToFlush::plannedEndNotFound($this->source->bucket, $begun->toString());
        }

        if ($rows !== [] && $places !== []) {
            yield new Parcel($this->source, $cursor, $rows, $places, $ownIds);
        }
    }

    /**
     * A place is the entries, the number of one and an event's index in it: a position is made of it where one is needed.
     *
     * @return Generator<Place, Decoded|UnableToDecode|null> null has its letter already
     */
    private function events(Position $from): Generator
    {
        foreach ($this->log->read($from) as $item) {
            if ($item instanceof Loss) {
                $this->report->saw($item);

                continue;
            }

            foreach ($item->payloads as $number => $payload) {
                if ($item->counts[$number] === 1 && ! str_contains($payload, "\n")) {
                    // What most requests write, without a second generator.
                    if ($number > 0 || $item->index === 0) {
                        $place = [$item, $number, 0];

                        yield $place => $this->decode($place, $payload);
                    }
                } else {
                    yield from $this->eventsOf($item, $number);
                }
            }
        }
    }

    /**
     * @param int<0, max> $number
     * @return Generator<Place, Decoded|UnableToDecode|null>
     */
    private function eventsOf(Entries $entries, int $number): Generator
    {
        [$payload, $count, $offset, $first] = [$entries->payloads[$number], $entries->counts[$number], 0, $number === 0 ? $entries->index : 0];

        for ($index = 0; $index < $count; $index++) {
            $newline = strpos($payload, "\n", $offset);
            $end = $newline === false ? strlen($payload) : $newline;
            $line = substr($payload, $offset, $end - $offset);
            $offset = min($end + 1, strlen($payload));

            if ($index >= $first) {
                $place = [$entries, $number, $index];

                yield $place => $this->decode($place, $line);
            }
        }

        if ($offset < strlen($payload)) {
            throw UnableToFlush::undecodable($entries->position($number, 0)->toString(), "its frame says {$count} events and holds more lines.");
        }
    }

    /**
     * @param Place $place
     * @return Decoded|UnableToDecode|null null when it has its letter already
     */
    private function decode(array $place, string $line): array|UnableToDecode|null
    {
        if ($this->dead !== [] && isset($this->dead[self::position($place)->toString()])) {
            return null;
        }

        try {
            $decoded = $this->codec->decodeRow($line);
        } catch (UnableToDecode $e) {
            return $e->isOfNewerVersion ? throw UnableToFlush::undecodable(self::position($place)->toString(), $e->getMessage()) : $e;
        }

        $this->bytes += strlen($line);

        return $decoded;
    }

    /** @param Place $place */
    private static function position(array $place): Position
    {
        return $place[0]->position($place[1], $place[2]);
    }

    /** @param Place $place */
    private static function behind(array $place): Position
    {
        return $place[0]->behind($place[1], $place[2]);
    }
}
