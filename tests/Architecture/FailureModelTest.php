<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/failure-model.md: each section has a test of that name, and its quotations are in the code.
 */
final class FailureModelTest extends TestCase
{
    private const PAGE = 'docs/failure-model.md';

    /** Stands for a name or a number. */
    private const ANY = '…';

    #[Test]
    public function each_fault_has_a_test_of_its_name_and_each_such_test_a_section(): void
    {
        $tests = $this->tests();
        $faults = array_keys($this->faults());

        self::assertGreaterThan(20, count($faults));
        self::assertEqualsCanonicalizing(
            array_map(self::plain(...), array_keys($tests)),
            $faults,
            'Sections of '.self::PAGE.', and names that tests have by #[TestDox].',
        );
    }

    #[Test]
    public function each_section_says_what_you_keep_see_and_do_and_names_its_tests(): void
    {
        $named = [];

        foreach ($this->faults() as $fault => $lines) {
            self::assertSame(['You keep', 'You see', 'Do', 'Test'], array_keys($lines), $fault);

            foreach (explode('; ', rtrim($lines['Test'], '.')) as $file) {
                self::assertSame(
                    1,
                    preg_match('~^\[(.+)\]\(\.\./tests/(\1\.php)\): (`\w+`(?:, `\w+`)*)$~', $file, $m),
                    $file,
                );
                $named[$fault][$m[2]] = explode(', ', str_replace('`', '', $m[3]));
            }
        }

        $tests = [];

        foreach ($this->tests() as $fault => $methods) {
            $tests[self::plain($fault)] = $methods;
        }

        ksort($tests);
        ksort($named);
        self::assertEquals($tests, $named);
    }

    #[Test]
    public function each_quoted_line_is_in_the_code(): void
    {
        // A long literal is several lines that are joined by dots.
        $source = (string) preg_replace(
            '/([\'"])\s*\n\s*\.([\'"])/',
            '',
            implode("\n", array_map(Files::read(...), Files::php('src'))),
        );
        $quotes = 0;
        $invented = [];

        foreach ($this->faults() as $fault => $lines) {
            foreach (self::messages($lines['You see'].' '.$lines['Do']) as $quote) {
                $quotes++;

                foreach (array_filter(
                    explode(self::ANY, $quote),
                    static fn (string $part): bool => strlen(trim($part, ' :.`')) > 3,
                ) as $part) {
                    if (! str_contains($source, trim($part))) {
                        $invented[] = "{$fault}: {$part}";
                    }
                }
            }
        }

        self::assertSame([], $invented);
        self::assertGreaterThan(30, $quotes);
    }

    #[Test]
    public function the_list_of_symptoms_leads_to_each_fault(): void
    {
        $text = Files::read(self::PAGE);
        preg_match_all('/^### (.+)$/m', $text, $headings);
        preg_match('/^## Find a fault by its symptom\n(.+?)^## /ms', $text, $symptoms);
        preg_match_all('/^- \[(.+)\]\(#.+\)$/m', $symptoms[1] ?? '', $links);

        self::assertEqualsCanonicalizing($headings[1], $links[1]);
    }

    /**
     * @return array<string, array<string, list<string>>> methods by name and file,
     *     in the order in which they stand there
     */
    private function tests(): array
    {
        $tests = [];

        foreach (Files::php('tests') as $path) {
            preg_match_all(
                '/#\[TestDox\(([\'"])(.*?)\1\)\](?:\s*#\[[^\n]*\])*\s*public function (\w+)\(/',
                Files::read($path),
                $found,
                PREG_SET_ORDER,
            );

            foreach ($found as [, , $line, $method]) {
                $tests[$line][substr($path, strlen('tests/'))][] = $method;
            }
        }

        return $tests;
    }

    /** @return array<string, array<string, string>> by fault: the text of each line by its label */
    private function faults(): array
    {
        $faults = [];
        preg_match_all('/^### (.+)\n\n((?:[- ] .*\n)+)/m', Files::read(self::PAGE), $sections, PREG_SET_ORDER);

        foreach ($sections as [, $heading, $text]) {
            $fault = self::plain($heading);
            self::assertArrayNotHasKey($fault, $faults, 'Two sections have this heading.');
            preg_match_all('/^- \*\*([\w ]+):\*\* (.+?)(?=\n- |\z)/ms', trim($text), $lines, PREG_SET_ORDER);
            $faults[$fault] = [];

            foreach ($lines as [, $label, $line]) {
                $faults[$fault][$label] = (string) preg_replace('/\s+/', ' ', $line);
            }
        }

        return $faults;
    }

    /** @return list<string> code that is no command, setting or function: it has a space in it */
    private static function messages(string $text): array
    {
        preg_match_all('/(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)/', $text, $code);

        $isMessage = static fn (string $text): bool
            => preg_match('/^(?!(?:php artisan|spool:|kill |chown )).* /', $text) === 1;

        return array_values(array_filter(array_map(trim(...), $code[2]), $isMessage));
    }

    /** A heading begins with a capital letter and may have code in it. */
    private static function plain(string $fault): string
    {
        return lcfirst(str_replace('`', '', $fault));
    }
}
