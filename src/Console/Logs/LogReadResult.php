<?php

declare(strict_types=1);

namespace Headroom\Console\Logs;

use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Console\TerminalStyles;
use Headroom\Host\Log\UnableToReadLog;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * The result of reading the files: what was read, and what failed.
 *
 * @internal
 */
final class LogReadResult
{
    public const EXIT_CODES = <<<'HELP'
        Exit codes:

          0  all files were read, or were empty
          1  a file could not be read; the others are reported
          2  wrong usage, or a file has lines and none of them is of such a log
        HELP;

    /** Files that could be opened. */
    public int $files = 0;

    /** Bytes of text, after decompression. */
    public int $bytes = 0;

    /** Lines that were too long, so that only their beginning was read. */
    public int $overlong = 0;

    /** @var list<UnableToReadLog> */
    public array $failures = [];

    /** @var list<MisreadFile> files that are not, or only in part, a log of the expected kind */
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
            'misread' => array_map(static fn (MisreadFile $file): array => $file->toArray(), $this->misread),
        ];
    }

    /** Whether a file is binary, so that its unread "lines" are not lines of text. */
    public function hasBytes(): bool
    {
        $isBytes = static fn (MisreadFile $file): bool => $file->type?->isText() === false;

        return array_filter($this->misread, $isBytes) !== [];
    }

    /** Whether the unread part may hold entries. */
    public function isPartial(): bool
    {
        return $this->failures !== [] || array_filter(
            $this->misread,
            static fn (MisreadFile $file): bool => ! $file->isEmpty(),
        ) !== [];
    }

    private function exit(): int
    {
        $refused = array_filter($this->misread, static fn (MisreadFile $file): bool => $file->isRefused());

        return match (true) {
            $refused !== [] => Command::INVALID,
            $this->failures !== [] => Command::FAILURE,
            default => Command::SUCCESS,
        };
    }

    /** @return int the exit code */
    public function print(ErrorlogReport|SlowlogReport $report, OutputInterface $output, bool $isJson): int
    {
        if ($isJson) {
            (new JsonOutput($output))->print($report->document());
        } else {
            TerminalStyles::print($output, $report->lines(), TerminalFormatter::STYLES);
        }

        foreach ($this->errors() as $problem) {
            (new CommandGuard($output))->error($problem);
        }

        return $this->exit();
    }

    /** @return list<string> messages about files that failed, or had no readable entry */
    private function errors(): array
    {
        $refused = array_filter($this->misread, static fn (MisreadFile $file): bool => $file->isRefused());

        return [
            ...array_map(static fn (UnableToReadLog $e): string => $e->getMessage(), $this->failures),
            ...array_map(static fn (MisreadFile $file): string => $file->sentence(), array_values($refused)),
        ];
    }

    /** @return list<string> messages about files that are empty, or were read in part */
    public function notes(): array
    {
        $notes = array_filter($this->misread, static fn (MisreadFile $file): bool => ! $file->isRefused());

        return array_map(static fn (MisreadFile $file): string => $file->sentence(), array_values($notes));
    }
}
