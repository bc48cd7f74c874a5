<?php

declare(strict_types=1);

namespace Headroom\Console\Logs;

use Headroom\Host\Log\FileType;
use Headroom\Host\Log\LogFile;
use Headroom\Host\Log\LogLines;
use Headroom\Report\Format;

/**
 * A file of which nothing or only a small part was read.
 *
 * @internal
 */
final readonly class MisreadFile
{
    /** If a smaller share of the lines was read, the file is probably another kind of log. */
    private const SHARE = 0.5;

    private function __construct(
        public string $file,
        public int $lines,
        public int $read,
        public bool $hasEntries,
        public ?FileType $type,
        private string $command,
    ) {}

    /**
     * @param int $foreign lines that are not of such a log
     * @return ?self null if the file is a log of the expected kind
     */
    public static function of(string $file, LogLines $lines, int $foreign, int $entries, string $command): ?self
    {
        $count = $lines->reader()->count();
        $read = max(0, $count - $foreign);

        if ($entries > 0 && $read >= self::SHARE * $count) {
            return null;
        }

        $type = trim($lines->head) === '' ? null : FileType::of($lines->head, $lines->envelope);

        return new self($file, $count, $read, $entries > 0, $type, $command);
    }

    public function isEmpty(): bool
    {
        return $this->type === null;
    }

    /** Whether the file has content, and no entry could be read. */
    public function isRefused(): bool
    {
        return ! $this->isEmpty() && ! $this->hasEntries;
    }

    public function sentence(): string
    {
        $isStandardInput = $this->file === LogFile::STDIN;
        $name = $isStandardInput ? 'Standard input' : $this->file;

        if ($this->type === null && $isStandardInput) {
            return 'Standard input is empty. The command before the pipe may print to standard error, as docker logs'
                .' does '
                .'with the standard error of a container: add 2>&1 to it.';
        }

        if ($this->type === null) {
            return "{$name} is empty. Older entries may be in a rotated file, such as {$this->file}.1.";
        }

        $lines = Format::count($this->lines);
        $seen = match (true) {
            $this->hasEntries => Format::count($this->read)." of its {$lines} lines were read; the rest",
            $this->lines === 1 => 'its only line is not an entry; it',
            default => "none of its {$lines} lines is an entry; it",
        };
        $next = $this->type->next($this->quoted(), $this->command);

        return "{$name}: {$seen} looks like {$this->type->words()}. {$next}";
    }

    /** @return array{file: string, lines: int, read_lines: int, looks_like: ?string, next: string} */
    public function toArray(): array
    {
        return [
            'file' => $this->file,
            'lines' => $this->lines,
            'read_lines' => $this->read,
            'looks_like' => $this->type?->value,
            'next' => $this->type?->next($this->quoted(), $this->command) ?? '',
        ];
    }

    private function quoted(): string
    {
        return match (true) {
            $this->file === LogFile::STDIN => 'FILE',
            preg_match('~\A[\w./-]+\z~', $this->file) === 1 => $this->file,
            default => escapeshellarg($this->file),
        };
    }
}
