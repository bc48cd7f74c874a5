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
use Headroom\Spool\Stretch;
use Headroom\Spool\UnableToDecode;
use Headroom\Spool\UnableToFlush;

use function count;
use function is_array;
use function str_contains;
use function strlen;

/**
 * Cuts a log into parcels. A parcel is a range of the log and spans frames and segments as it fills. What can not be
 * read, or is dead already, comes by itself between two of them.
 *
 * Start below says from which row on they lie in a stretch, and the entry and event in it with which that begins.
 *
 * @internal
 *
 * @phpstan-type Start array{int<0, max>, Stretch, int<0, max>, int<0, 65535>}
 * @phpstan-type Row non-empty-array<string, scalar|null|Json|Bytes|Date|DateTimeImmutable>
 */
final class BatchReader
{
    /** Of lines: a thousand events of a megabyte each would exhaust any memory limit, and the bucket never get on. */
    private const MAX_BYTES = 4_194_304;

    /** Of the lines since the last parcel. */
    private int $bytes = 0;

    /** @var list<Row> read since the last parcel */
    private array $rows = [];

    /** @var array<int, string> ids that events brought, by the number of the row */
    private array $ownIds = [];

    /** @var list<Start> which events those are; never empty when there are rows */
    private array $starts = [];

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
        [$cursor, $taken] = [$from, 0];

        foreach ($this->log->read($from) as $entries) {
            if ($entries instanceof Loss) {
                $this->report->saw($entries);

                continue;
            }

            $this->starts[] = [count($this->rows), $stretch = $entries->stretch, 0, $entries->index];

            foreach ($entries->payloads as $number => $payload) {
                $isOne = $stretch->counts[$number] === 1 && ! str_contains($payload, "\n") && ($number > 0 || $entries->index === 0);

                foreach ($isOne ? [$payload] : $this->lines($entries, $number, $payload) as $index => $line) {
                    if ($limit !== null && $taken >= $limit && $begun === null) {
                        $this->report->more = true;

                        break 3;
                    }

                    $taken++;
                    $row = $this->decode($stretch, $number, $index, $line);

                    if (is_array($row)) {
                        $this->rows[] = $row;

                        if ($begun === null ? count($this->rows) < $size && $this->bytes < self::MAX_BYTES : $stretch->behind($number, $index)->compare($begun) < 0) {
                            continue;
                        }
                    }

                    yield from $this->cut($cursor, $stretch, $number, $index, $row);

                    $cursor = $stretch->behind($number, $index);
                    $begun = $begun === null || $cursor->compare($begun) >= 0 ? null : $begun;
                }
            }
        }

        if ($begun !== null) {
            throw UnableToFlush::plannedEndNotFound($this->source->bucket, $begun->toString());
        }

        if ($this->rows !== []) {
            yield new Parcel($this->source, $cursor, $this->rows, $this->starts, $this->ownIds);
        }
    }

    /**
     * What was read since the last parcel, and behind it the event that can not be handed over, if it is one.
     *
     * @param int<0, max> $number
     * @param int<0, 65535> $index
     * @param Row|UnableToDecode|null $row
     * @return Generator<int, Parcel|Condemned>
     */
    private function cut(Position $cursor, Stretch $stretch, int $number, int $index, array|UnableToDecode|null $row): Generator
    {
        if ($this->rows !== []) {
            $parcel = new Parcel($this->source, $cursor, $this->rows, $this->starts, $this->ownIds);
            [$this->rows, $this->ownIds, $this->bytes] = [[], [], 0];

            yield $parcel;

            $cursor = $parcel->end();
        }

        if (! is_array($row)) {
            yield new Condemned($cursor, $stretch->position($number, $index), $stretch->behind($number, $index), $row?->getMessage());
        }

        [$number, $index] = $index + 1 < $stretch->counts[$number] ? [$number, $index + 1] : [$number + 1, 0];
        $this->starts = [[0, $stretch, $number, $index]];
    }

    /**
     * @param int<0, max> $number
     * @return array<int<0, 65535>, string> by index
     */
    private function lines(Entries $entries, int $number, string $payload): array
    {
        $count = $entries->stretch->counts[$number];
        $first = $number === 0 ? $entries->index : 0;

        $lines = explode("\n", $payload);

        if (count($lines) > $count + ($lines[count($lines) - 1] === '' ? 1 : 0)) {
            throw UnableToFlush::undecodable($entries->stretch->position($number, 0)->toString(), "its frame says {$count} events and holds more lines.");
        }

        /** @var array<int<0, 65535>, string> $asked */
        $asked = array_slice(array_pad($lines, $count, ''), $first, $count - $first, true);

        return $asked;
    }

    /**
     * @param int<0, max> $number
     * @param int<0, 65535> $index
     * @return Row|UnableToDecode|null null when it has its letter already
     */
    private function decode(Stretch $stretch, int $number, int $index, string $line): array|UnableToDecode|null
    {
        if ($this->dead !== [] && isset($this->dead[$stretch->position($number, $index)->toString()])) {
            return null;
        }

        try {
            [$row, $ownId, $replaced] = $this->codec->decodeRow($line);
        } catch (UnableToDecode $e) {
            return $e->isOfNewerVersion ? throw UnableToFlush::undecodable($stretch->position($number, $index)->toString(), $e->getMessage()) : $e;
        }

        $this->bytes += strlen($line);

        if ($ownId !== null) {
            $this->ownIds[count($this->rows)] = $ownId;
        }

        if ($replaced > 0) {
            $this->report->replaced += $replaced;
        }

        return $row;
    }
}
