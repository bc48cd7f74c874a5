<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\History;

use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Spool\History\HistoryWriter;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\DirectoryTestCase;

/**
 * A bucket's directory with a history in it.
 */
abstract class HistoryTestCase extends DirectoryTestCase
{
    protected const MINUTE = 29_000_000;

    protected HistoryFile $history;

    protected function setUp(): void
    {
        parent::setUp();
        mkdir($this->directory->file('buckets/events'), 0700, true);
        $this->history = HistoryFile::of(new Layout($this->directory->path, 'events'), new Permissions);
    }

    protected function writer(): HistoryWriter
    {
        $writer = HistoryWriter::open($this->history, new SteppingClock);
        self::assertNotNull($writer, 'The history cannot be written.');

        return $writer;
    }

    protected function add(HistoryMinute ...$minutes): void
    {
        $writer = $this->writer();
        array_map($writer->add(...), $minutes);
        $writer->close();
    }

    protected function fails(string ...$messages): void
    {
        $writer = $this->writer();

        foreach ($messages as $number => $message) {
            $writer->addFailure(1_000_000 + (int) $number, $message);
        }

        $writer->close();
    }

    protected function content(): string
    {
        return (string) file_get_contents($this->history->path);
    }

    protected function put(string $content): void
    {
        file_put_contents($this->history->path, $content);
    }

    /** @return array<int, int> events by minute */
    protected function events(int $from = 1, int $to = PHP_INT_MAX - 1): array
    {
        $to = min($to, $from + HistoryFile::MINUTES - 1);

        return array_map(
            static fn (HistoryMinute $minute): int => $minute->events,
            $this->history->minutes($from, $to),
        );
    }
}
