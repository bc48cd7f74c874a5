<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs;

use Headroom\Host\Log\LogLines;

/**
 * Reads one file. Programs whose lines a transport has mixed are kept apart, so that an entry of several lines goes on
 * behind the lines of another program.
 *
 * @internal
 */
final class SourceReaders
{
    /** Open at once; of more, the one that began first is closed. */
    private const MOST = 256;

    /** @var array<string, LogReader> */
    private array $readers = [];

    public function __construct(private readonly LogSummary $summary) {}

    public function read(LogLines $lines): void
    {
        if ($lines->envelope->isNone()) {
            $this->of('')->read($lines->raw());

            return;
        }

        foreach ($lines->unwrapped() as $line) {
            $this->of($line->source)->read([$line->text], $line->time);
        }
    }

    /** @param bool $isCut whether the last line had no end */
    public function end(bool $isCut): void
    {
        foreach ($this->readers as $reader) {
            $reader->end($isCut);
        }

        $this->readers = [];
    }

    private function of(string $source): LogReader
    {
        if (! isset($this->readers[$source])) {
            if (count($this->readers) === self::MOST) {
                array_shift($this->readers)->end(false);
            }

            $this->readers[$source] = $this->summary->reader();
        }

        return $this->readers[$source];
    }
}
