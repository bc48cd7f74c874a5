<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/**
 * Where the lines of a file begin: the glue before each token. A copy is cheap, so the search tries breaks on copies.
 *
 * @internal
 */
final class Layout
{
    private const INDENT = 4;

    /** @var array<int, string> commas behind tokens */
    private array $commas = [];

    /** @var array<int, int> columns that a comment of several lines has moved */
    private array $shifts = [];

    /** @param array<int, string> $glue by token */
    private function __construct(private readonly Tokens $tokens, private array $glue) {}

    public static function of(Tokens $tokens): self
    {
        return new self($tokens, $tokens->glue);
    }

    public function startsLine(int $position): bool
    {
        return str_contains($this->glue[$position], "\n");
    }

    /** The first token of the line; a token of several lines ends the line before it. */
    public function lineStart(int $position): int
    {
        while (
            $position > 0
            && ! $this->startsLine($position)
            && ! str_contains($this->tokens->texts[$position - 1], "\n")
        ) {
            $position--;
        }

        return $position;
    }

    public function lineEnd(int $position): int
    {
        $last = $this->tokens->count() - 1;

        while (
            $position < $last
            && ! $this->startsLine($position + 1)
            && ! str_contains($this->tokens->texts[$position], "\n")
        ) {
            $position++;
        }

        return $position;
    }

    /** Of the line that starts with this token, as many characters as a person sees. */
    public function width(int $start): int
    {
        $end = $this->lineEnd($start);
        $before = $this->startsLine($start) ? '' : (string) strrchr($this->tokens->texts[$start - 1] ?? '', "\n");
        $line = substr($before, 1).$this->text($start, $end);
        $break = strpos($line, "\n");

        return mb_strlen($break === false ? $line : substr($line, 0, $break));
    }

    /** From one token through another, with the glue between them. */
    public function text(int $from, int $to): string
    {
        $text = ltrim($this->glue[$from], "\n").$this->tokens->texts[$from].($this->commas[$from] ?? '');

        for ($i = $from + 1; $i <= $to; $i++) {
            $text .= $this->glue[$i].$this->tokens->texts[$i].($this->commas[$i] ?? '');
        }

        return $text;
    }

    public function indent(int $position): int
    {
        $start = $this->lineStart($position);

        return $this->startsLine($start)
            ? strlen($this->glue[$start]) - (int) strrpos($this->glue[$start], "\n") - 1
            : 0;
    }

    /** Whether the line begins with the end of a string of several lines, whose indentation says nothing. */
    public function beginsInside(int $start): bool
    {
        return $start > 0 && ! $this->startsLine($start);
    }

    public function startsWithClosing(int $start): bool
    {
        return $this->tokens->is($start, ')', ']', '}');
    }

    /** Whether a comment is about the errors of this line, wherever on it they are. */
    public function isPinned(int $start): bool
    {
        $from = $this->tokens->isComment($start - 1) ? $start - 1 : $start;

        return str_contains($this->text($from, $this->lineEnd($start)), '@phpstan-ignore');
    }

    public function breakBefore(int $position, int $indent): void
    {
        $this->glue[$position] = "\n".str_repeat(' ', $indent);
    }

    /**
     * The tokens get lines of their own with that indentation, and the lines between move with them.
     *
     * @param list<int> $breaks
     * @return int lines that moved though they had been there
     */
    public function breakAll(array $breaks, int $end, int $indent): int
    {
        $moved = 0;
        $before = array_map($this->indent(...), $breaks);

        foreach ($breaks as $i => $break) {
            if (! $this->startsLine($break)) {
                $this->breakBefore($break, $indent);
                $moved += $this->shift($break + 1, ($breaks[$i + 1] ?? $end) - 1, $indent - $before[$i]);
            }
        }

        return $moved;
    }

    /**
     * The token behind the last one whose line moves when the line with this token does:
     * brackets opened behind it hang on it.
     */
    public function hangingEnd(int $position): int
    {
        $depth = 0;

        $i = $position;

        while (++$i < $this->tokens->count()) {
            $depth -= $this->tokens->is($i, ')', ']', '}') ? 1 : 0;

            if ($depth < 0 || ($depth === 0 && $this->startsLine($i) && ! $this->tokens->is($i, ')', ']', '}'))) {
                return $i;
            }

            $depth += $this->tokens->is($i, '(', '[', '{', '#[', '${') ? 1 : 0;
        }

        return $i;
    }

    private function shift(int $from, int $to, int $columns): int
    {
        $moved = 0;

        for ($i = $from; $columns !== 0 && $i <= $to; $i++) {
            if ($this->startsLine($i)) {
                $start = (int) strrpos($this->glue[$i], "\n") + 1;
                $this->glue[$i] = substr($this->glue[$i], 0, $start)
                    .str_repeat(' ', max(0, strlen($this->glue[$i]) - $start + $columns));
                $this->shifts[$i] = ($this->shifts[$i] ?? 0) + $columns;
                $moved++;
            }
        }

        return $moved;
    }

    public function join(int $position): void
    {
        $this->glue[$position] = ' ';
    }

    public function addComma(int $close): void
    {
        $last = $this->tokens->previous($close);

        if (! $this->tokens->is($last, ',')) {
            $this->commas[$last] = ',';
        }
    }

    /** How wide the text of these tokens is without the glue before the first. */
    public function span(int $from, int $to): int
    {
        $text = $this->text($from, $to);

        return mb_strlen($text) - (strlen($this->glue[$from]) - strspn($this->glue[$from], "\n"));
    }

    public function isOneLine(int $from, int $to): bool
    {
        for ($i = $from; $i <= $to; $i++) {
            if (str_contains($this->tokens->texts[$i], "\n") || ($i > $from && $this->startsLine($i))) {
                return false;
            }
        }

        return true;
    }

    public static function deeper(int $indent): int
    {
        return $indent + self::INDENT;
    }

    public function render(): string
    {
        $code = '';

        foreach ($this->tokens->texts as $i => $text) {
            if (isset($this->shifts[$i]) && $this->tokens->isComment($i) && str_contains($text, "\n")) {
                $indent = strlen($this->glue[$i]) - (int) strrpos($this->glue[$i], "\n");
                $text = (string) preg_replace('/\n[ \t]*(?=\*)/', "\n".str_repeat(' ', $indent), $text);
            }

            $code .= $this->glue[$i].$text.($this->commas[$i] ?? '');
        }

        return $code;
    }
}
