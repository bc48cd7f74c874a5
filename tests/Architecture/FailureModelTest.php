<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/failure-model.md: each line is a test of that name, and what it quotes is in the code.
 */
final class FailureModelTest extends TestCase
{
    private const PAGE = 'docs/failure-model.md';

    /** Stands for a name or a number. */
    private const ANY = '…';

    #[Test]
    public function each_line_has_a_test_of_its_name_and_each_such_test_a_line(): void
    {
        $tests = $this->tests();
        $lines = array_map(static fn (array $cells): string => $cells[0], $this->rows(4));

        self::assertGreaterThan(20, count($lines));
        self::assertSame($lines, array_values(array_unique($lines)));
        self::assertEqualsCanonicalizing(
            array_keys($tests),
            $lines,
            'Lines of '.self::PAGE.', and names that tests have by #[TestDox].',
        );
    }

    #[Test]
    public function the_page_names_these_tests_by_file_and_method(): void
    {
        $named = [];

        foreach ($this->rows(2) as [$line, $cell]) {
            foreach (explode('; ', $cell) as $file) {
                self::assertSame(
                    1,
                    preg_match('~^\[(.+)\]\(\.\./tests/(\1\.php)\): (`\w+`(?:, `\w+`)*)$~', $file, $m),
                    $file,
                );
                $named[$line][$m[2]] = explode(', ', str_replace('`', '', $m[3]));
            }
        }

        $tests = $this->tests();
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

        foreach ($this->rows(4) as $cells) {
            preg_match_all('/"([^"]+)"/', $cells[2], $quoted);

            foreach ($quoted[1] as $quote) {
                $quotes++;

                foreach (array_filter(
                    explode(self::ANY, $quote),
                    static fn (string $part): bool => strlen(trim($part, ' :.`')) > 3,
                ) as $part) {
                    if (! str_contains($source, trim($part))) {
                        $invented[] = "{$cells[0]}: {$part}";
                    }
                }
            }
        }

        self::assertSame([], $invented);
        self::assertGreaterThan(15, $quotes);
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

    /**
     * @return list<list<string>> the cells of each row that has so many
     */
    private function rows(int $cells): array
    {
        $rows = [];

        foreach (explode("\n", Files::read(self::PAGE)) as $line) {
            $row = str_starts_with($line, '| ') ? array_map(trim(...), explode(' | ', trim($line, '| '))) : [];

            if (count($row) === $cells && $row[0] !== 'fault') {
                $rows[] = $row;
            }
        }

        return $rows;
    }
}
