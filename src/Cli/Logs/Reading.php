<?php

declare(strict_types=1);

namespace Headroom\Cli\Logs;

use Headroom\Host\Log\UnableToReadLog;

/**
 * How reading the files went.
 *
 * @internal
 */
final class Reading
{
    /** Those that could be opened. */
    public int $files = 0;

    /** Of text, unpacked. */
    public int $bytes = 0;

    /** Lines of which only the beginning was looked at. */
    public int $overlong = 0;

    /** @var list<UnableToReadLog> */
    public array $failures = [];

    /** @return array{files: int, bytes: int, overlong_lines: int, failed: list<array{file: string, error: string}>} */
    public function toArray(): array
    {
        return [
            'files' => $this->files,
            'bytes' => $this->bytes,
            'overlong_lines' => $this->overlong,
            'failed' => array_map(static fn (UnableToReadLog $e): array => ['file' => $e->log, 'error' => $e->getMessage()], $this->failures),
        ];
    }
}
