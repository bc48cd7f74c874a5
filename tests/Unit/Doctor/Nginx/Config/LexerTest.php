<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\Lexer;
use Headroom\Doctor\Nginx\Config\SourceSpan;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class LexerTest extends TestCase
{
    /** @param list<string> $words */
    #[Test]
    #[DataProvider('statements')]
    public function words_are_those_that_nginx_sees(string $text, array $words): void
    {
        self::assertSame($words, (new Lexer('f', $text))->next()->words);
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function statements(): iterable
    {
        yield 'blanks of all kinds' => ["\n gzip\t \r\n on ;", ['gzip', 'on']];
        yield 'no blank before the end' => ['events{', ['events']];
        yield 'comment before, between and behind' => [
            "# { ; '\ngzip # on;\non# not a comment\n;", ['gzip', 'on#', 'not', 'a', 'comment'],
        ];
        yield 'empty word' => ["a '' \"\";", ['a', '', '']];
        yield 'a quote within a word' => ['a b"c\'d;', ['a', 'b"c\'d']];
        yield 'blanks, ends and other quotes in quotes' => ['a "b ;{}#\'" \'c "\';', ['a', "b ;{}#'", 'c "']];
        yield 'over lines' => ["a 'b\nc' d;", ['a', "b\nc", 'd']];
        yield 'escapes that mean a character' => ['a "\"\\\'\\\\\t\r\n";', ['a', "\"'\\\t\r\n"]];
        yield 'escapes of a regular expression stay' => [
            'location ~ ^/\d+\.php(/|$) {', ['location', '~', '^/\d+\.php(/|$)'],
        ];
        yield 'a regular expression with braces is quoted' => [
            'location ~ "^/\w{2,4}$" {', ['location', '~', '^/\w{2,4}$'],
        ];
        yield 'an escaped backslash before a quote' => ['a "b\\\\" c;', ['a', 'b\\', 'c']];
        yield 'what ends a word, escaped' => ['a b\ c\;d\{e;', ['a', 'b\ c\;d\{e']];
        yield 'a variable in braces' => ['set $a x${b}y${c}{', ['set', '$a', 'x${b}y${c}']];
        yield 'a brace behind an escaped dollar' => ['a \${', ['a', '\$']];
        yield 'a dollar that ends a word' => ['rewrite ^/a$ /b;', ['rewrite', '^/a$', '/b']];
        yield 'a closing brace in a word' => ['a b}c;', ['a', 'b}c']];
        yield 'what nginx allows for if' => ['if ($a = "b"){', ['if', '($a', '=', 'b', ')']];
        yield 'bytes that are no UTF-8' => ["a \xFF\xFE\0b;", ['a', "\xFF\xFE\0b"]];
    }

    #[Test]
    public function each_word_has_the_line_in_which_it_begins(): void
    {
        $lexer = new Lexer('f', "# 1\r\nlog_format a # 2\n  'b\n  c' # 4\n d;\ngzip on;");

        self::assertSame([2, 2, 3, 5], $lexer->next()->lines);
        self::assertSame([6, 6], $lexer->next()->lines);
    }

    #[Test]
    public function ends_are_told_apart(): void
    {
        $lexer = new Lexer('f', "a; b { }\n");

        self::assertSame(
            [';', '{', '}', '', ''],
            array_map(static fn (): string => $lexer->next()->end, range(1, 5)),
        );
    }

    #[Test]
    public function a_statement_spans_its_text_up_to_its_end(): void
    {
        $text = "# a\n gzip 'o n' ; b {";
        $lexer = new Lexer('f', $text);
        $spans = [$lexer->next()->span, $lexer->next()->span];

        self::assertSame(
            ["gzip 'o n' ;", 'b {'],
            array_map(
                static fn (SourceSpan $span): string => substr($text, $span->start, $span->end - $span->start),
                $spans,
            ),
        );
    }

    #[Test]
    #[DataProvider('slips')]
    public function text_that_nginx_refuses_has_a_line_and_a_command(string $text, int $line): void
    {
        $lexer = new Lexer('f', $text);

        try {
            while ($lexer->next()->end !== '') {
                continue;
            }
        } catch (FactUnavailable $e) {
            self::assertStringContainsString("f:{$line}", $e->getMessage());
            self::assertSame('nginx -t', $e->command);

            return;
        }

        self::fail('It was read.');
    }

    /** @return iterable<string, array{string, int}> */
    public static function slips(): iterable
    {
        yield 'semicolon twice' => ["a b;\n;c;", 2];
        yield 'brace without a name' => ["\n\n{ a; }", 3];
        yield 'no semicolon before a brace' => ["a\nb }", 2];
        yield 'no semicolon at the end' => ["\na b\n", 3];
        yield 'a letter behind a quote' => ['a "b"c d;', 1];
        yield 'a comment behind a quote' => ["a 'b'# c\n;", 1];
        yield 'quote open to the end' => ["a;\nb \"c;\nd e;", 2];
        yield 'quote that the next one closes' => ["a;\nb 'c;\nd 'e';\n", 2];
        yield 'quote that its escape keeps open' => ['a "b\\";', 1];
        yield 'an escape at the end' => ['a \\', 1];
    }
}
