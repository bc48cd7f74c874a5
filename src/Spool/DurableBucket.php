<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * @internal
 */
final readonly class DurableBucket implements Bucket
{
    private const MAX_EVENTS = 65_535;

    /** A frame's limit, less the space that the writer may add. */
    private const MAX_BYTES = 8_388_607;

    public function __construct(private string $name, private Writer $writer, private Codec $codec) {}

    public function add(array $row): void
    {
        $this->writer->append($this->name, $this->codec->encode($row), 1);
    }

    /** @param iterable<mixed> $rows checked here: what is handed in comes from outside */
    public function addMany(iterable $rows): void
    {
        $lines = [];
        $bytes = -1;
        $count = 0;

        foreach ($rows as $row) {
            if (++$count > self::MAX_EVENTS) {
                throw InvalidEvent::tooMany(self::MAX_EVENTS);
            }

            $lines[] = $line = $this->codec->encode(is_array($row) ? $row : throw InvalidEvent::notAnEvent($row, $count));
            $bytes += strlen($line) + 1;

            if ($bytes > self::MAX_BYTES) {
                throw InvalidEvent::frameTooLarge(self::MAX_BYTES);
            }
        }

        if ($count > 0) {
            $this->writer->append($this->name, implode("\n", $lines), $count);
        }
    }
}
