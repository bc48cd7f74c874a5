<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * Splits a file into statements as ngx_conf_read_token() does, and goes on where that stops.
 *
 * @link https://github.com/nginx/nginx/blob/master/src/core/ngx_conf_file.c
 *
 * @internal
 */
final class Lexer
{
    private const BLANK = " \t\r\n";

    /** NGX_CONF_BUFFER, in bytes. A word or a comment is read whole or not at all. */
    private const BUFFER = 4096;

    private const ESCAPES = ['\\\\' => '\\', '\\"' => '"', "\\'" => "'", '\\t' => "\t", '\\r' => "\r", '\\n' => "\n"];

    private int $at = 0;

    private int $line = 1;

    private readonly int $length;

    /** How a quote that is not closed ended its statement. */
    private ?StatementEnd $cut = null;

    public function __construct(
        private readonly string $file,
        private readonly string $text,
        private readonly ParseIssues $misreads,
    ) {
        $this->length = strlen($text);

        if (str_starts_with($text, "\u{FEFF}")) {
            $this->at = strlen("\u{FEFF}");
            $this->misreads->add(ParseIssue::byteOrderMark($file));
        }
    }

    public function next(): Statement
    {
        [$words, $lines, $start] = [[], [], null];

        while ($this->skipBlank()) {
            $character = $this->text[$this->at];
            $start ??= $this->at;

            if ($character === '}') {
                return $this->brace($words, $lines);
            }

            if ($character !== ';' && $character !== '{') {
                $lines[] = $this->line;
                $words[] = $character === '"' || $character === "'" ? $this->quoted($character) : $this->bare();

                if ($this->cut === null) {
                    continue;
                }

                [$end, $this->cut] = [$this->cut, null];

                return new Statement($words, $lines, $end, $this->line);
            }

            $this->at++;

            if ($words !== []) {
                $end = $character === ';' ? StatementEnd::Semicolon : StatementEnd::Open;

                return new Statement($words, $lines, $end, $this->line, new SourceSpan($start, $this->at));
            }

            $this->misreads->add(ParseIssue::unexpected($this->file, $this->line, $character));

            if ($character === '{') {
                // Read as a block without a name, so that what it holds and its end are not taken for the parent's.
                return new Statement([''], [$this->line], StatementEnd::Open, $this->line);
            }
        }

        if ($words === []) {
            return new Statement([], [], StatementEnd::File, $this->line);
        }

        $this->misreads->add(ParseIssue::noSemicolon($this->file, $lines[0], $words[0], 'the end of the file'));

        return new Statement($words, $lines, StatementEnd::Semicolon, $this->line);
    }

    /** Lua up to the brace that closes its block; where there is none, the rest of the file. */
    public function lua(): LuaBlock
    {
        $lua = LuaBlock::read($this->text, $this->at);
        $this->advance(strlen($lua->code) + ($lua->closed ? 1 : 0));

        return $lua;
    }

    /**
     * @param list<string> $words
     * @param list<int> $lines
     */
    private function brace(array $words, array $lines): Statement
    {
        if ($words === []) {
            $this->at++;

            return new Statement([], [], StatementEnd::Close, $this->line);
        }

        $this->misreads->add(ParseIssue::noSemicolon($this->file, $lines[0], $words[0], '"}"'));

        return new Statement($words, $lines, StatementEnd::Semicolon, $this->line);
    }

    /** False at the end of the file. */
    private function skipBlank(): bool
    {
        while (true) {
            $this->advance(strspn($this->text, self::BLANK, $this->at));

            if ($this->at >= $this->length) {
                return false;
            }

            if ($this->text[$this->at] !== '#') {
                return true;
            }

            $comment = strcspn($this->text, "\n", $this->at);

            if ($comment >= self::BUFFER && $this->at + self::BUFFER < $this->length) {
                $this->misreads->add(ParseIssue::tooLong(
                    $this->file,
                    $this->line,
                    substr($this->text, $this->at, self::BUFFER),
                    self::BUFFER,
                ));
            }

            $this->at += $comment;
        }
    }

    private function bare(): string
    {
        $end = $this->at;

        while (($end += strcspn($this->text, " \t\r\n;{\\$", $end)) < $this->length) {
            if ($this->text[$end] === '\\') {
                $end = min($end + 2, $this->length);
            } elseif ($this->text[$end] === '$') {
                // ${name}
                $end++;
                $end += strspn($this->text, '{', $end);
            } else {
                break;
            }
        }

        $raw = substr($this->text, $this->at, $end - $this->at);
        $this->checkLength($raw, strlen($raw), $end);
        $this->advance(strlen($raw));

        return self::unescaped($raw);
    }

    private function quoted(string $quote): string
    {
        $start = $this->at + 1;
        $end = $this->closing($quote, $start);

        if ($end === null) {
            return $this->unclosed($quote, $start);
        }

        $raw = substr($this->text, $start, $end - $start);
        $follows = $this->text[$end + 1] ?? ' ';

        if (! in_array($follows, [' ', "\t", "\r", "\n", ';', '{', ')'], true)) {
            if (str_contains($raw, "\n")) {
                // More likely this is where the next quoted word opens.
                return $this->unclosed($quote, $start);
            }

            $this->misreads->add(ParseIssue::unexpected($this->file, $this->line, $follows));
        }

        $this->checkLength($raw, strlen($raw) + 1, $end + 1);
        $this->advance(strlen($raw) + 2);

        return self::unescaped($raw);
    }

    /** Where the quote closes; null when it does not, or only in another line and beyond what nginx takes. */
    private function closing(string $quote, int $start): ?int
    {
        $end = $start;
        $oneLine = true;

        while ($end < $this->length) {
            $plain = strcspn($this->text, "{$quote}\\", $end, self::BUFFER);
            $oneLine = $oneLine && strcspn($this->text, "\n", $end, $plain) === $plain;
            $end += $plain;

            if ($end - $start > self::BUFFER && ! $oneLine) {
                return null;
            }

            $character = $this->text[$end] ?? '';

            if ($character === $quote) {
                return $end;
            }

            $end += $character === '\\' ? 2 : 0;
        }

        return null;
    }

    private function unclosed(string $quote, int $start): string
    {
        $this->misreads->add(ParseIssue::unclosedQuote($this->file, $this->line, $quote));
        $raw = substr($this->text, $start, strcspn($this->text, "\n", $start));
        $this->at = $start + strlen($raw);
        $word = rtrim($raw, self::BLANK);
        $this->cut = str_ends_with($word, '{') ? StatementEnd::Open : StatementEnd::Semicolon;

        return self::unescaped(rtrim($word, ";{ \t"));
    }

    /**
     * @param int $read bytes that nginx holds for this word once it knows its end
     * @param int $next what follows it
     */
    private function checkLength(string $raw, int $read, int $next): void
    {
        // A blank after the word is held with it.
        $blank = strspn($this->text, self::BLANK, $next, 1);

        if ($read + $blank >= self::BUFFER) {
            $this->misreads->add(ParseIssue::tooLong($this->file, $this->line, $raw, self::BUFFER));
        }
    }

    private static function unescaped(string $raw): string
    {
        return str_contains($raw, '\\') ? strtr($raw, self::ESCAPES) : $raw;
    }

    private function advance(int $bytes): void
    {
        if ($bytes > 0) {
            $this->line += substr_count($this->text, "\n", $this->at, $bytes);
            $this->at += $bytes;
        }
    }
}
