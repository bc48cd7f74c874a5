<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * One line of one file: inserted, replaced or removed.
 */
final readonly class Edit
{
    /**
     * @param ?int $line from 1; null: at the end
     * @param ?string $old null: a line is inserted before this one
     * @param ?string $new null: the line is removed
     * @param string $apply the command that makes it effective; '' if none is needed
     */
    private function __construct(
        public string $file,
        public ?int $line,
        public ?string $old,
        public ?string $new,
        public string $apply = '',
    ) {}

    public static function replace(string $file, int $line, string $old, string $new): self
    {
        return new self($file, $line, $old, $new);
    }

    public static function remove(string $file, int $line, string $old): self
    {
        return new self($file, $line, $old, null);
    }

    public static function insert(string $file, int $before, string $new): self
    {
        return new self($file, $before, null, $new);
    }

    /** @param array{file: string, line: ?int, old: ?string, new: ?string} $edit as toArray() gives it, and `--json` */
    public static function fromArray(array $edit): self
    {
        return new self($edit['file'], $edit['line'], $edit['old'], $edit['new']);
    }

    /** At the end of a file, which is created if it does not exist. */
    public static function append(string $file, string $new): self
    {
        return new self($file, null, null, $new);
    }

    /** @param string $command such as a reload of the server that reads the file */
    public function effectiveAfter(string $command): self
    {
        return new self($this->file, $this->line, $this->old, $this->new, $command);
    }

    /**
     * @param string $text of the file
     *
     * @throws UnableToEdit when the line is not what it was
     */
    public function appliedTo(string $text): string
    {
        if ($this->line === null) {
            return ($text === '' ? '' : rtrim($text, "\n")."\n")."{$this->new}\n";
        }

        $lines = explode("\n", $text);
        $seen = $lines[$this->line - 1] ?? null;

        if ($seen === null || ($this->old !== null && rtrim($seen, "\r") !== $this->old)) {
            throw UnableToEdit::changed($this->file, $this->line, $this->old, $seen, count($lines));
        }

        // Lines end as the one that is there.
        $end = str_ends_with($seen, "\r") ? "\r" : '';
        array_splice(
            $lines,
            $this->line - 1,
            $this->old === null ? 0 : 1,
            $this->new === null ? [] : [$this->new.$end],
        );

        return implode("\n", $lines);
    }

    /** @return list<string> as a patch has it */
    public function lines(): array
    {
        $lines = [$this->line === null ? "{$this->file}, at the end" : "{$this->file}:{$this->line}"];

        if ($this->old !== null) {
            $lines[] = "- {$this->old}";
        }

        if ($this->new !== null) {
            $lines[] = "+ {$this->new}";
        }

        return $lines;
    }

    /** @return array{file: string, line: ?int, old: ?string, new: ?string} */
    public function toArray(): array
    {
        return ['file' => $this->file, 'line' => $this->line, 'old' => $this->old, 'new' => $this->new];
    }
}
