<?php

declare(strict_types=1);

namespace Headroom\Load\Replay;

use Headroom\Host\Log\UnableToReadLog;

/**
 * The requests of one second of a log, in their order. Above one megabyte they go to a temporary file, which PHP
 * deletes itself.
 *
 * @internal
 */
final class SpillFile
{
    private const MEMORY_BYTES = 1_048_576;

    /** @var resource one line for each request: method and path, neither of which contains a space or a line break */
    private $stream;

    private int $added = 0;

    private int $taken = 0;

    public function __construct()
    {
        $this->stream = self::open();
    }

    /**
     * After the first take(), this begins another second.
     *
     * @param non-empty-string $method
     *
     * @throws UnableToReadLog
     */
    public function add(string $method, string $path): void
    {
        if ($this->taken > 0) {
            $this->stream = self::open();
            [$this->added, $this->taken] = [0, 0];
        }

        $line = "{$method} {$path}\n";

        if (@fwrite($this->stream, $line) !== strlen($line)) {
            throw UnableToReadLog::notSetAside($this->added, sys_get_temp_dir(), UnableToReadLog::lastReason());
        }

        $this->added++;
    }

    public function isEmpty(): bool
    {
        return $this->taken === $this->added;
    }

    /**
     * @return ?array{float, non-empty-string, string} the share of the second at which it is due, method, path; null if
     *     there are no more
     */
    public function take(): ?array
    {
        if ($this->isEmpty()) {
            return null;
        }

        if ($this->taken === 0) {
            rewind($this->stream);
        }

        [$method, $path] = explode(' ', rtrim((string) fgets($this->stream), "\n"), 2) + ['', ''];

        return $method === '' ? null : [$this->taken++ / $this->added, $method, $path];
    }

    /** @return resource */
    private static function open()
    {
        $stream = @fopen('php://temp/maxmemory:'.self::MEMORY_BYTES, 'w+b');

        return $stream === false
            ? throw UnableToReadLog::notSetAside(0, sys_get_temp_dir(), UnableToReadLog::lastReason())
            : $stream;
    }
}
