<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Config;

use Headroom\Doctor\Nginx\Config\Lexer;
use Headroom\Doctor\Nginx\Config\ParseIssue;
use Headroom\Doctor\Nginx\Config\ParseIssues;
use Headroom\Doctor\Nginx\Config\StatementEnd;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
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
        $misreads = new ParseIssues;
        $statement = (new Lexer('f', $text, $misreads))->next();

        self::assertSame([], $misreads->all());
        self::assertSame($words, $statement->words);
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
        $lexer = new Lexer('f', "# 1\r\nlog_format a # 2\n  'b\n  c' # 4\n d;\ngzip on;", new ParseIssues);

        self::assertSame([2, 2, 3, 5], $lexer->next()->lines);
        self::assertSame([6, 6], $lexer->next()->lines);
    }

    #[Test]
    public function ends_are_told_apart(): void
    {
        $lexer = new Lexer('f', "a; b { }\n", new ParseIssues);

        self::assertSame(
            [StatementEnd::Semicolon, StatementEnd::Open, StatementEnd::Close, StatementEnd::File, StatementEnd::File],
            array_map(static fn (): StatementEnd => $lexer->next()->end, range(1, 5)),
        );
    }

    /**
     * @param list<ParseIssue|list<string>> $expected
     * @param list<list<string>> $words of all statements
     */
    #[Test]
    #[DataProvider('slips')]
    public function text_that_nginx_refuses_is_named_and_the_rest_is_read(
        string $text,
        array $expected,
        array $words,
    ): void {
        $misreads = new ParseIssues;
        $lexer = new Lexer('f', $text, $misreads);
        $seen = [];

        while (($statement = $lexer->next())->end !== StatementEnd::File) {
            $seen[] = $statement->words;
        }

        Configs::assertMisread($expected, $misreads->all());
        self::assertSame($words, $seen);
    }

    /** @return iterable<string, array{string, list<ParseIssue|list<string>>, list<list<string>>}> */
    public static function slips(): iterable
    {
        yield 'byte order mark' => ["\u{FEFF}gzip on;", [ParseIssue::byteOrderMark('f')], [['gzip', 'on']]];
        yield 'semicolon twice' => ["a b;\n;c;", [ParseIssue::unexpected('f', 2, ';')], [['a', 'b'], ['c']]];
        yield 'brace without a name' => ['{ a; }', [ParseIssue::unexpected('f', 1, '{')], [[''], ['a'], []]];
        yield 'no semicolon before a brace' => [
            "a\nb }",
            [ParseIssue::noSemicolon('f', 1, 'a', '"}"')],
            [['a', 'b'], []],
        ];
        yield 'no semicolon at the end' => ["\na b", [['f:2', 'a', '";"']], [['a', 'b']]];
        yield 'a letter behind a quote' => ['a "b"c d;', [ParseIssue::unexpected('f', 1, 'c')], [['a', 'b', 'c', 'd']]];
        yield 'a comment behind a quote' => ["a 'b'# c\n;", [ParseIssue::unexpected('f', 1, '#')], [['a', 'b']]];
        yield 'quote open to the end' => [
            "a;\nb \"c;\nd e;",
            [ParseIssue::unclosedQuote('f', 2, '"')],
            [['a'], ['b', 'c'], ['d', 'e']],
        ];
        yield 'quote that the next one seems to close' => [
            "a 'b;\nc 'd';\n",
            [ParseIssue::unclosedQuote('f', 1, "'")],
            [['a', 'b'], ['c', 'd']],
        ];
        yield 'quote of a block' => [
            "location ~ \"x {\n a; }",
            [ParseIssue::unclosedQuote('f', 1, '"')],
            [['location', '~', 'x'], ['a'], []],
        ];
        yield 'quote over more than nginx takes' => [
            "a \"b;\n".str_repeat("c d;\n", 1000).'e "f";',
            [ParseIssue::unclosedQuote('f', 1, '"')],
            [['a', 'b'], ...array_fill(0, 1000, ['c', 'd']), ['e', 'f']],
        ];
        yield 'a word too long' => [
            'a '.str_repeat('b', 4096).';c;',
            [ParseIssue::tooLong('f', 1, str_repeat('b', 4096), 4096)],
            [['a', str_repeat('b', 4096)], ['c']],
        ];
        yield 'a comment too long' => [
            "\n#".str_repeat('b', 4096)."\nc;",
            [ParseIssue::tooLong('f', 2, '#'.str_repeat('b', 4095), 4096)],
            [['c']],
        ];
        yield 'an escape at the end' => ['a \\', [['f:1', 'a', '";"']], [['a', '\\']]];
    }

    #[Test]
    public function misreads_beyond_a_thousand_are_counted(): void
    {
        $misreads = new ParseIssues;
        (new Lexer('f', str_repeat(";\n", 3000), $misreads))->next();

        self::assertCount(1001, $misreads->all());
        self::assertEquals(ParseIssue::more(ParseIssue::unexpected('f', 3_000, ';'), 2_000), $misreads->all()[1_000]);
    }
}
