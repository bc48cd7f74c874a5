<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Closure;
use Headroom\Spool\Append\EventFilter;
use Headroom\Spool\Append\OverflowHandlers;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Store\Writer;
use Throwable;

use function count;
use function implode;
use function is_array;
use function min;
use function preg_match;
use function strlen;

/**
 * Accepts the events of one bucket, with the same promises as Buffer.
 */
final readonly class Bucket
{
    private const MAX_EVENTS = 65_535;

    /** The limit of a frame, less the one space character that a writer may add to the payload. */
    private const MAX_BYTES = 8_388_607;

    /**
     * @internal
     *
     * @param ?Closure(): OverflowHandlers $overflow
     */
    public function __construct(
        private Writer $writer,
        private Codec $codec,
        private string $name = '',
        private ?Closure $overflow = null,
        private ?EventFilter $filter = null,
    ) {}

    /**
     * The name becomes a directory, so it must not contain anything that leads out of the parent directory.
     *
     * @internal
     */
    public static function isName(string $name): bool
    {
        return preg_match('/\A[a-z0-9][a-z0-9._-]{0,63}\z/', $name) === 1;
    }

    /**
     * @internal
     *
     * @throws InvalidBucket
     */
    public static function validName(string $name): string
    {
        return self::isName($name) ? $name : throw InvalidBucket::name($name);
    }

    /**
     * @param array<array-key, mixed> $row by column name
     *
     * @throws InvalidEvent
     * @throws UnableToAppend
     */
    public function add(array $row): void
    {
        if ($this->filter !== null && ($row = $this->filter->apply($row, $this->name)) === null) {
            return;
        }

        $line = $this->codec->encode($row);

        try {
            $this->writer->append($line, 1);
        } catch (Throwable $e) {
            $this->applyOverflow(UnableToAppend::because($e), $line, 1);
        }
    }

    /**
     * Appends all rows in one write, or none of them. Without rows it writes nothing.
     *
     * @param iterable<mixed> $rows arrays by column name; each is checked, because the rows come from outside
     *
     * @throws InvalidEvent more than 65,535 events, 8 MiB or more in all, or a row that cannot be encoded
     * @throws UnableToAppend
     */
    public function addMany(iterable $rows): void
    {
        $lines = [];
        $bytes = -1;
        $count = 0;

        foreach ($rows as $row) {
            if (++$count > self::MAX_EVENTS) {
                throw InvalidEvent::tooMany(self::MAX_EVENTS);
            }

            if (! is_array($row)) {
                throw InvalidEvent::notAnEvent($row, $count);
            }

            if ($this->filter !== null && ($row = $this->filter->apply($row, $this->name)) === null) {
                continue;
            }

            $lines[] = $line = $this->codec->encode($row);
            $bytes += strlen($line) + 1;

            if ($bytes > self::MAX_BYTES) {
                throw InvalidEvent::frameTooLarge(self::MAX_BYTES);
            }
        }

        if ($lines !== []) {
            $this->append(implode("\n", $lines), count($lines));
        }
    }

    /**
     * Appends events that this bucket, or another object for the same bucket, has encoded.
     *
     * @internal
     *
     * @param int<1, max> $count
     *
     * @throws UnableToAppend
     */
    public function append(string $payload, int $count): void
    {
        try {
            // addMany() has checked the number when it encoded the events.
            $this->writer->append($payload, min($count, self::MAX_EVENTS));
        } catch (Throwable $e) {
            $this->applyOverflow(UnableToAppend::because($e), $payload, $count);
        }
    }

    /**
     * @param int<1, max> $count
     *
     * @throws UnableToAppend
     */
    private function applyOverflow(UnableToAppend $e, string $payload, int $count): void
    {
        // The sink has refused the event already, so `overflow` is not applied: it could only ask the same sink again.
        if ($this->overflow === null || $e->failure === AppendFailure::Sink) {
            throw $e;
        }

        (($this->overflow)()->refused)($this->name, $e, $payload, $count);
    }
}
