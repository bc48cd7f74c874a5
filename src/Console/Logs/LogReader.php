<?php

declare(strict_types=1);

namespace Headroom\Console\Logs;

use Headroom\Host\Log\UnableToReadLog;
use Symfony\Component\Console\Command\Command;

/**
 * How reading the files went.
 *
 * @internal
 */
final class LogReader
{
    public const EXIT_CODES = 'Exit codes: 0 all files were read (an empty one has nothing to read), 1 one could not '
        .'be read (the others are reported), 2 wrong usage, or a file has lines and none of them is of such a log.';

    /** Those that could be opened. */
    public int $files = 0;

    /** Of text, unpacked. */
    public int $bytes = 0;

    /** Lines of which only the beginning was looked at. */
    public int $overlong = 0;

    /** @var list<UnableToReadLog> */
    public array $failures = [];

    /** @var list<Misread> files that are not, or not for the most part, what they were taken for */
    public array $misread = [];

    /**
     * @return array{
     *     files: int,
     *     bytes: int,
     *     overlong_lines: int,
     *     failed: list<array{file: string, error: string}>,
     *     misread: list<array<string, mixed>>,
     * }
     */
    public function toArray(): array
    {
        return [
            'files' => $this->files,
            'bytes' => $this->bytes,
            'overlong_lines' => $this->overlong,
            'failed' => array_map(
                static fn (UnableToReadLog $e): array => ['file' => $e->log, 'error' => $e->getMessage()],
                $this->failures,
            ),
            'misread' => array_map(static fn (Misread $file): array => $file->toArray(), $this->misread),
        ];
    }

    /** Whether lines that were not read are none, but bytes of a file that is no text. */
    public function hasBytes(): bool
    {
        $isBytes = static fn (Misread $file): bool => $file->likeness?->isText() === false;

        return array_filter($this->misread, $isBytes) !== [];
    }

    /** Whether lines that were not read may say anything. */
    public function isPartial(): bool
    {
        return $this->failures !== [] || array_filter(
            $this->misread,
            static fn (Misread $file): bool => ! $file->isEmpty(),
        ) !== [];
    }

    /** What a command ends with. */
    public function exit(): int
    {
        $refused = array_filter($this->misread, static fn (Misread $file): bool => $file->isRefused());

        return match (true) {
            $refused !== [] => Command::INVALID,
            $this->failures !== [] => Command::FAILURE,
            default => Command::SUCCESS,
        };
    }

    /** @return list<string> what went wrong, and which files have nothing that could be read */
    public function complaints(): array
    {
        $refused = array_filter($this->misread, static fn (Misread $file): bool => $file->isRefused());

        return [
            ...array_map(static fn (UnableToReadLog $e): string => $e->getMessage(), $this->failures),
            ...array_map(static fn (Misread $file): string => $file->sentence(), array_values($refused)),
        ];
    }

    /** @return list<string> of files that are empty, or were read in part */
    public function notes(): array
    {
        $notes = array_filter($this->misread, static fn (Misread $file): bool => ! $file->isRefused());

        return array_map(static fn (Misread $file): string => $file->sentence(), array_values($notes));
    }
}
