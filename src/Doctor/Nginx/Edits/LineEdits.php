<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Edits;

use Headroom\Doctor\Edit;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Config\SourceSpan;

/**
 * Turns changes of nearby texts into edits of whole lines, and finds the numbers of these lines.
 *
 * @internal
 */
final readonly class LineEdits
{
    /**
     * @param int $start of the first line, in bytes
     * @param int $end of the last line, without its end
     * @param list<array{SourceSpan, string}> $changes in the order of the file
     * @param array<string, string> $byHand what each of them is in words
     */
    private function __construct(
        private string $file,
        private string $text,
        private int $start,
        private int $end,
        private array $changes,
        private array $byHand,
    ) {}

    public static function around(string $file, string $text, SourceSpan $span): self
    {
        return new self(
            $file,
            $text,
            self::lineStart($text, $span->start),
            $span->end + strcspn($text, "\n", $span->end),
            [],
            [],
        );
    }

    public function touches(SourceSpan $span): bool
    {
        return $span->start <= $this->end;
    }

    public function with(SourceSpan $span, string $with, string $byHand): self
    {
        $end = max($this->end, $span->end + strcspn($this->text, "\n", $span->end));

        return new self(
            $this->file,
            $this->text,
            $this->start,
            $end,
            [...$this->changes, [$span, $with]],
            $this->byHand + [$byHand => $byHand],
        );
    }

    /** @return list<Edit|ManualChange> */
    public function edits(): array
    {
        return $this->isPrintable() ? $this->lineEdits() : array_map(
            static fn (string $text): ManualChange => new ManualChange($text),
            array_values($this->byHand),
        );
    }

    /** A line with bytes that are no UTF-8 or that a terminal would obey cannot be shown as it is. */
    private function isPrintable(): bool
    {
        return preg_match(
            '/\A[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*\z/u',
            substr($this->text, $this->start, $this->end - $this->start),
        ) === 1;
    }

    /** @return list<Edit> */
    private function lineEdits(): array
    {
        $old = self::lines(substr($this->text, $this->start, $this->end - $this->start));
        $new = $this->changed();
        $most = min(count($old), count($new));

        $head = 0;
        $tail = 0;

        while ($head < $most && $old[$head] === $new[$head]) {
            $head++;
        }

        while ($tail < $most - $head && $old[count($old) - 1 - $tail] === $new[count($new) - 1 - $tail]) {
            $tail++;
        }

        $old = array_slice($old, $head, count($old) - $head - $tail);
        $new = array_slice($new, $head, count($new) - $head - $tail);
        $line = substr_count($this->text, "\n", 0, $this->start) + 1 + $head;
        $more = max(0, count($new) - count($old));
        $edits = array_map(
            fn (string $text): Edit => Edit::insert($this->file, $line, $text),
            array_slice($new, 0, $more),
        );

        foreach ($old as $at => $text) {
            $becomes = $new[$more + $at] ?? null;
            $edits[] = $becomes === null
                ? Edit::remove($this->file, $line + $at, $text)
                : Edit::replace($this->file, $line + $at, $text, $becomes);
        }

        return $edits;
    }

    /** @return list<string> */
    private function changed(): array
    {
        $text = substr($this->text, $this->start, $this->end - $this->start);

        foreach (array_reverse($this->changes) as [$span, $with]) {
            $text = substr_replace(
                $text,
                $this->fitting($span, $with),
                $span->start - $this->start,
                $span->end - $span->start,
            );
        }

        $lines = [];

        foreach (self::lines($text) as $line) {
            if (! str_contains($line, NginxChange::NOTHING)) {
                $lines[] = $line;
            } elseif (preg_match('/\A[\s\0]*(?:#.*)?\z/s', $line) !== 1) {
                $lines[] = rtrim((string) preg_replace(['/\A(\s*)(?:\0\s*)+/', '/\s*\0/'], ['$1', ''], $line));
            }
        }

        return $lines;
    }

    /** A new line goes where its directive begins one, and stands before it on the line otherwise. */
    private function fitting(SourceSpan $span, string $with): string
    {
        if (! str_ends_with($with, "\n")) {
            return $with;
        }

        $before = substr(
            $this->text,
            self::lineStart($this->text, $span->start),
            $span->start - self::lineStart($this->text, $span->start),
        );

        return trim($before) === '' ? $with.$before : rtrim($with).' ';
    }

    /** @return list<string> */
    private static function lines(string $text): array
    {
        return array_map(static fn (string $line): string => rtrim($line, "\r"), explode("\n", $text));
    }

    private static function lineStart(string $text, int $at): int
    {
        $newline = strrpos(substr($text, 0, $at), "\n");

        return $newline === false ? 0 : $newline + 1;
    }
}
