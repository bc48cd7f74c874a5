<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs;

/**
 * Reads the lines that one program wrote, one after the other.
 *
 * @internal
 */
interface LogReader
{
    /**
     * @param iterable<string> $lines without their ends
     * @param ?string $time when they came, where a transport noted it: of entries that have no time of their own
     */
    public function read(iterable $lines, ?string $time = null): void;

    /** @param bool $isCut whether the last line had no end */
    public function end(bool $isCut): void;
}
