<?php

declare(strict_types=1);

namespace Headroom\Load\Replay;

use Headroom\Host\Log\UnableToReadLog;

/**
 * The requests of one second of a log, taken in their order when all are in. However many there are, little of them is
 * in memory: what does not fit goes to a temporary file of PHP's, which nobody has to remove.
 *
 * @internal
 */
final class Spool
{
    private const MEMORY_BYTES = 1_048_576;

    /** @var resource a line each: method and path, neither of which can have a space or the end of a line in it */
    private $stream;

    private int $in = 0;

    private int $out = 0;

    public function __construct()
    {
        $this->stream = self::nothing();
    }

    /**
     * When the last one was taken, this is the first of another second.
     *
     * @param non-empty-string $method
     *
     * @throws UnableToReadLog
     */
    public function add(string $method, string $path): void
    {
        if ($this->out > 0) {
            $this->stream = self::nothing();
            [$this->in, $this->out] = [0, 0];
        }

        $line = "{$method} {$path}\n";

        if (@fwrite($this->stream, $line) !== strlen($line)) {
            throw UnableToReadLog::notSetAside($this->in, sys_get_temp_dir(), UnableToReadLog::lastReason());
        }

        $this->in++;
    }

    public function isEmpty(): bool
    {
        return $this->out === $this->in;
    }

    /**
     * @return ?array{float, non-empty-string, string} which share of them came before it, method, path;
     *     null when there is none
     */
    public function take(): ?array
    {
        if ($this->isEmpty()) {
            return null;
        }

        if ($this->out === 0) {
            rewind($this->stream);
        }

        [$method, $path] = explode(' ', rtrim((string) fgets($this->stream), "\n"), 2) + ['', ''];

        return $method === '' ? null : [$this->out++ / $this->in, $method, $path];
    }

    /** @return resource */
    private static function nothing()
    {
        $stream = fopen('php://temp/maxmemory:'.self::MEMORY_BYTES, 'w+b');

        return $stream === false
            ? throw UnableToReadLog::notSetAside(0, sys_get_temp_dir(), UnableToReadLog::lastReason())
            : $stream;
    }
}
