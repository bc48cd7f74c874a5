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
 * One bucket's intake. The same promises as Buffer.
 */
final readonly class Bucket
{
    private const MAX_EVENTS = 65_535;

    /** A frame's limit, less the space that a writer may add. */
    private const MAX_BYTES = 8_388_607;

    /**
     * @internal
     *
     * @param ?Closure(): OverflowHandlers $detours
     */
    public function __construct(
        private Writer $writer,
        private Codec $codec,
        private string $name = '',
        private ?Closure $detours = null,
        private ?EventFilter $intake = null,
    ) {}

    /**
     * The name becomes a directory, so nothing that could leave its parent may pass.
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
        if ($this->intake !== null && ($row = $this->intake->take($row, $this->name)) === null) {
            return;
        }

        $line = $this->codec->encode($row);

        try {
            $this->writer->append($line, 1);
        } catch (Throwable $e) {
            $this->refused(UnableToAppend::because($e), $line, 1);
        }
    }

    /**
     * One write, all or nothing. No rows, no write.
     *
     * @param iterable<mixed> $rows arrays by column name, each of them checked: what is handed in comes from outside
     *
     * @throws InvalidEvent more than 65,535 events, 8 MiB or more in all, or a row that can not be carried
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

            if ($this->intake !== null && ($row = $this->intake->take($row, $this->name)) === null) {
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
     * Of what this bucket, or one of the same name, has encoded.
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
            // It was no more when it was encoded.
            $this->writer->append($payload, min($count, self::MAX_EVENTS));
        } catch (Throwable $e) {
            $this->refused(UnableToAppend::because($e), $payload, $count);
        }
    }

    /**
     * @param int<1, max> $count
     *
     * @throws UnableToAppend
     */
    private function refused(UnableToAppend $e, string $payload, int $count): void
    {
        // What the sink did not take is not for `overflow`, which could only ask it once more.
        if ($this->detours === null || $e->failure === AppendFailure::Sink) {
            throw $e;
        }

        (($this->detours)()->refused)($this->name, $e, $payload, $count);
    }
}
