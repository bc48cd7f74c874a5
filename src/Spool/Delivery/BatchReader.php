<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Generator;
use Headroom\Core\Position;
use Headroom\Core\Rows;
use Headroom\Sink\Delivery;
use Headroom\Sink\Source;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\LineDecoder;
use Headroom\Spool\Encoding\UnableToDecode;
use Headroom\Spool\Exceptions\CorruptSegment;
use Headroom\Spool\Exceptions\UnsupportedFormat;
use Headroom\Spool\Store\Log;
use Headroom\Spool\Store\LogEntries;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;

use function array_push;
use function array_slice;
use function count;
use function min;
use function strlen;

/**
 * Cuts a log into batches, which may span frames and segments. An event that cannot be read, or is dead already, is
 * returned alone between two batches.
 *
 * @internal
 *
 * @phpstan-import-type Start from Offsets
 */
final class BatchReader
{
    /**
     * Limit for the lines of a batch. A thousand events of a megabyte each would exhaust the memory limit in every
     * flush.
     */
    private const MAX_BYTES = 4_194_304;

    /**
     * A value takes 100 to 200 bytes while it is decoded, and a line of a megabyte can have 90,000 values. No server
     * accepts as many in one statement.
     */
    private const MAX_VALUES = 65_536;

    private readonly LineDecoder $decoder;

    /** Where the next batch begins. */
    private Position $cursor;

    /** Whether the limit was reached before the end of the log. */
    private bool $isFull = false;

    /** @var list<string> read since the last batch */
    private array $lines = [];

    private int $bytes = 0;

    /** @var list<Start> the positions of these lines; never empty when there are lines */
    private array $starts = [];

    /**
     * @param Position $from the cursor
     * @param int<1, max> $size events per batch, fewer when they are large
     * @param array<string, true> $dead events that are not sent, by position
     * @param ?Position $resendUntil required end of the first batch, regardless of its size and the limit
     * @param ?int<0, max> $limit maximum number of events to read
     * @param bool $buriesAll reject events that a newer version may have written, too
     */
    public function __construct(
        private readonly Log $log,
        private readonly Codec $codec,
        private readonly Source $source,
        private readonly FlushReport $report,
        private readonly Position $from,
        private readonly int $size,
        private readonly array $dead = [],
        private ?Position $resendUntil = null,
        private ?int $limit = null,
        private readonly bool $buriesAll = false,
    ) {
        $this->cursor = $from;
        $this->decoder = new LineDecoder($codec);
    }

    /**
     * Can be called once.
     *
     * @return Generator<int, Delivery|RejectedEvent>
     *
     * @throws UnableToFlush
     */
    public function read(): Generator
    {
        foreach ($this->log->read($this->from) as $entries) {
            if ($entries instanceof MissingRange) {
                $this->report->addLoss($entries);

                continue;
            }

            $this->starts[] = [count($this->lines), $entries, 0, $entries->index];
            $isPlain = $this->dead === []
                && $this->resendUntil === null
                && $this->limit === null
                && $this->bytes + $entries->bytes() < self::MAX_BYTES;

            yield from $isPlain && $entries->areSingle() ? $this->takeAll($entries) : $this->pick($entries);

            if ($this->isFull) {
                $this->report->hasMore = true;

                break;
            }
        }

        if ($this->resendUntil !== null) {
            throw CorruptSegment::endMissing($this->source->bucket, $this->resendUntil->toString());
        }

        yield from $this->cut();
    }

    /**
     * The common case: each entry has one event, and all events are sent.
     *
     * @return Generator<int, Delivery|RejectedEvent>
     *
     * @throws UnableToFlush
     */
    private function takeAll(LogEntries $entries): Generator
    {
        for ($number = 0, $all = count($entries->payloads); $number < $all;) {
            $taken = max(1, min($all - $number, $this->size - count($this->lines)));
            array_push($this->lines, ...array_slice($entries->payloads, $number, $taken));
            $number += $taken;

            if (count($this->lines) >= $this->size) {
                yield from $this->cut();

                $this->starts = [[0, $entries, $number, 0]];
            }
        }

        $this->bytes += $entries->bytes();
    }

    /**
     * Reads event by event.
     *
     * @return Generator<int, Delivery|RejectedEvent>
     *
     * @throws UnableToFlush
     */
    private function pick(LogEntries $entries): Generator
    {
        foreach ($entries->payloads as $number => $payload) {
            foreach ($this->lines($entries, $number, $payload) as $index => $line) {
                if ($this->limit === 0 && $this->resendUntil === null) {
                    $this->isFull = true;

                    return;
                }

                $this->limit = $this->limit === null ? null : max(0, $this->limit - 1);
                $position = $this->dead === [] ? null : $entries->position($number, $index);
                $isDead = $position !== null && isset($this->dead[$position->toString()]);

                if (! $isDead) {
                    $this->lines[] = $line;
                    $this->bytes += strlen($line);

                    if (
                        $this->resendUntil === null
                        ? count($this->lines) < $this->size && $this->bytes < self::MAX_BYTES
                        : $entries->behind($number, $index)->compare($this->resendUntil) < 0
                    ) {
                        continue;
                    }
                }

                yield from $this->cut();

                if ($isDead) {
                    yield $this->rejected($position, $entries->behind($number, $index), null);
                }

                [$next, $at] = $index + 1 < $entries->counts[$number] ? [$number, $index + 1] : [$number + 1, 0];
                $this->starts = [[0, $entries, $next, $at]];
                $this->resendUntil = $this->resendUntil === null || $this->cursor->compare($this->resendUntil) >= 0
                    ? null
                    : $this->resendUntil;
            }
        }
    }

    /**
     * Returns the lines read since the last batch.
     *
     * @return Generator<int, Delivery|RejectedEvent>
     *
     * @throws UnableToFlush
     */
    private function cut(): Generator
    {
        if ($this->lines === [] || $this->starts === []) {
            return;
        }

        [$offsets, $lines] = [new Offsets($this->starts), $this->lines];
        [$this->lines, $this->bytes] = [[], 0];
        $most = max(1, intdiv(self::MAX_VALUES, 1 + substr_count($lines[0], ',')));

        // A range that was sent before is sent again unchanged.
        if ($this->resendUntil !== null) {
            $most = count($lines);
        }

        for ($first = 0; $lines !== []; $first += $most) {
            $slice = array_splice($lines, 0, $most);
            $rows = $this->decoder->rows($slice, $this->report->replaced);

            if ($rows === null) {
                yield from $this->oneByOne($slice, $offsets, $first);
            } else {
                unset($slice);

                yield $this->batch($rows, $offsets, first: $first);
            }
        }
    }

    /**
     * @param non-empty-list<string> $lines
     * @param int<0, max> $from number of the first line's event in $offsets
     * @return Generator<int, Delivery|RejectedEvent>
     *
     * @throws UnableToFlush
     */
    private function oneByOne(array $lines, Offsets $offsets, int $from): Generator
    {
        [$rows, $ownIds, $first, $values] = [[], [], $from, 0];

        foreach ($lines as $number => $line) {
            $event = $from + $number;

            try {
                [$row, $ownId, $replaced] = $this->codec->decodeRow($line);
            } catch (UnableToDecode $e) {
                if ($e->isOfNewerVersion && ! $this->buriesAll) {
                    throw UnsupportedFormat::ofEvent($offsets->position($event)->toString(), $e->getMessage());
                }

                if ($rows !== []) {
                    yield $this->batch(Rows::of($rows), $offsets, $ownIds, $first);
                }

                yield $this->rejected(
                    $offsets->position($event),
                    $offsets->behind($event),
                    $e->getMessage(),
                    $e->isReadable,
                );

                [$rows, $first, $values] = [[], $event + 1, 0];

                continue;
            }

            // A batch that was sent before must end at the same position.
            if ($rows !== [] && $this->resendUntil === null && $values + count($row) > self::MAX_VALUES) {
                yield $this->batch(Rows::of($rows), $offsets, $ownIds, $first);

                [$rows, $first, $values] = [[], $event, 0];
            }

            $rows[] = $row;
            $values += count($row);
            $this->report->replaced += $replaced;

            if ($ownId !== null) {
                $ownIds[$event] = $ownId;
            }
        }

        if ($rows !== []) {
            yield $this->batch(Rows::of($rows), $offsets, $ownIds, $first);
        }
    }

    /**
     * @param array<int, string> $ownIds
     * @param int<0, max> $first
     */
    private function batch(Rows $rows, Offsets $offsets, array $ownIds = [], int $first = 0): Delivery
    {
        $from = $this->cursor;
        $this->cursor = $offsets->behind($first + max(0, count($rows) - 1));

        return new Delivery($this->source, $from, $this->cursor, $offsets->batch($rows, $ownIds, $first));
    }

    private function rejected(
        Position $position,
        Position $end,
        ?string $reason,
        bool $isReadable = false,
    ): RejectedEvent {
        $rejected = new RejectedEvent(
            $this->cursor,
            $position,
            $end,
            $reason,
            isUnreadable: $reason !== null && ! $isReadable,
        );
        $this->cursor = $end;

        return $rejected;
    }

    /**
     * @param int<0, max> $number
     * @return array<int<0, 65535>, string> by index
     */
    private function lines(LogEntries $entries, int $number, string $payload): array
    {
        $count = $entries->counts[$number];
        $first = $number === 0 ? $entries->index : 0;

        $lines = explode("\n", $payload);

        if (count($lines) > $count + ($lines[count($lines) - 1] === '' ? 1 : 0)) {
            throw CorruptSegment::undecodable(
                $entries->position($number, 0)->toString(),
                'its frame says '.TerminalText::count($count, 'event').' and holds more lines.',
            );
        }

        /** @var array<int<0, 65535>, string> $asked */
        $asked = array_slice(array_pad($lines, $count, ''), $first, $count - $first, true);

        return $asked;
    }
}
