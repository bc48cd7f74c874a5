<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

use Headroom\Doctor\FactUnavailable;

/**
 * Splits a file into statements as ngx_conf_read_token() does.
 *
 * @link https://github.com/nginx/nginx/blob/master/src/core/ngx_conf_file.c
 *
 * @internal
 */
final class Lexer
{
    private const BLANK = '~\G(?:[ \t\r\n]++|#[^\n]*+)*+~';

    /** A bare word ends at `{`, except in ${name}. After a closing quote nginx allows only a blank, `;`, `{` or `)`. */
    private const WORD = <<<'REGEX'
        ~\G(?|"((?:[^"\\]++|\\.)*+)"(?=[ \t\r\n;{)]|\z)
            |'((?:[^'\\]++|\\.)*+)'(?=[ \t\r\n;{)]|\z)
            |((?!["'])(?:[^ \t\r\n;{\\$]++|\\.|\$\{*+)++))~sx
        REGEX;

    /** Braces of a block of Lua, and the strings, long brackets and comments whose braces do not count. */
    private const LUA = <<<'REGEX'
        ~--\[(=*)\[.*?(?:\]\1\]|\z)|--[^\n]*+|\[(=*)\[.*?(?:\]\2\]|\z)
            |"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+|[{}]~sx
        REGEX;

    private const ESCAPES = ['\\\\' => '\\', '\\"' => '"', "\\'" => "'", '\\t' => "\t", '\\r' => "\r", '\\n' => "\n"];

    private int $at = 0;

    private int $line = 1;

    public function __construct(private readonly string $file, private readonly string $text) {}

    /** @throws FactUnavailable where nginx would refuse the text */
    public function next(): Statement
    {
        $this->skip(self::BLANK);
        [$words, $lines, $start] = [[], [], $this->at];

        $end = $this->character();

        while (! in_array($end, ['', ';', '{', '}'], true)) {
            $lines[] = $this->line;
            $word = $this->skip(self::WORD) ?? throw $this->broken("the word that begins with {$end} has no end");
            $words[] = strtr($word, self::ESCAPES);
            $this->skip(self::BLANK);
            $end = $this->character();
        }

        // `;` and `{` end a statement of words; `}` and the end of the file follow a complete one.
        $needsWords = in_array($end, [';', '{'], true);

        if ($needsWords && $words === [] || ! $needsWords && $words !== []) {
            throw $this->broken($end === '' ? 'unexpected end of file' : "unexpected \"{$end}\"");
        }

        $this->at += strlen($end);

        return new Statement($words, $lines, $end, new SourceSpan($start, $this->at));
    }

    /**
     * OpenResty reads the code of a block by rules of its own.
     *
     * @link https://github.com/openresty/lua-nginx-module#content_by_lua_block
     *
     * @return string the code up to the brace that closes its block
     *
     * @throws FactUnavailable
     */
    public function lua(): string
    {
        [$start, $at, $depth] = [$this->at, $this->at, 1];

        while ($depth > 0) {
            if (preg_match(self::LUA, $this->text, $found, PREG_OFFSET_CAPTURE, $at) !== 1) {
                throw $this->broken('unexpected end of file in a block of Lua');
            }

            [$token, $at] = [$found[0][0], $found[0][1] + strlen($found[0][0])];
            // The regex stops before the closing quote of a string: skip the quote.
            $at += in_array($token[0], ['"', "'"], true) ? 1 : 0;
            $depth += match ($token) {
                '{' => 1,
                '}' => -1,
                default => 0,
            };
        }

        $code = substr($this->text, $start, $at - $start - 1);
        $this->line += substr_count($code, "\n");
        $this->at = $at;

        return $code;
    }

    public function broken(string $reason): FactUnavailable
    {
        return FactUnavailable::because(
            "The configuration of nginx cannot be read: {$reason} in {$this->file}:{$this->line}.",
            'nginx -t',
        );
    }

    private function character(): string
    {
        return $this->text[$this->at] ?? '';
    }

    /** @return ?string the word that the pattern captures, '' if it captures none; null if it does not match */
    private function skip(string $pattern): ?string
    {
        if (preg_match($pattern, $this->text, $found, 0, $this->at) !== 1) {
            return null;
        }

        $this->at += strlen($found[0]);
        $this->line += substr_count($found[0], "\n");

        return $found[1] ?? '';
    }
}
