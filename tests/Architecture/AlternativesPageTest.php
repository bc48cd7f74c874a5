<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/why-not-a-queued-job.md: a test or a source proves each answer, and each test of the comparison proves one.
 */
final class AlternativesPageTest extends TestCase
{
    private const PAGE = 'docs/why-not-a-queued-job.md';

    private const TESTS = 'tests/Acceptance/Alternatives/';

    private const PROPERTIES = [
        'killed process' => 'A kill after the response',
        'full Redis' => 'A full Redis',
        'once in SQL' => 'Exactly once in SQL',
        'batches' => 'Batches',
    ];

    private const OTHERS = ['What each one needs', 'Cost in the request'];

    #[Test]
    public function each_answer_of_a_table_has_a_proof(): void
    {
        $ways = array_keys(self::table('At a glance'));
        self::assertGreaterThan(7, count($ways));

        foreach ([...self::PROPERTIES, ...self::OTHERS] as $heading) {
            $rows = self::table($heading);
            self::assertSame($ways, array_keys($rows), $heading);

            foreach ($rows as $way => [$answer, $proof]) {
                self::assertMatchesRegularExpression(
                    '/^\[\d+\]\(#proofs\)(?: \[\d+\]\(#proofs\))*$/',
                    $proof,
                    "{$heading}: {$way}",
                );

                if (! in_array($heading, self::OTHERS, true)) {
                    self::assertMatchesRegularExpression('/^[✓✗]/u', $answer, "{$heading}: {$way}");
                }
            }
        }
    }

    #[Test]
    public function the_overview_says_what_the_tables_say(): void
    {
        foreach (self::table('At a glance') as $way => $overview) {
            self::assertSame([self::properties($way, '✓'), self::properties($way, '✗')], $overview, $way);
        }
    }

    #[Test]
    public function each_proof_is_a_test_that_exists_or_a_source_and_is_used(): void
    {
        $proofs = self::proofs();
        preg_match_all('/\[(\d+)\]\(#proofs\)/', Files::read(self::PAGE), $used);
        self::assertEqualsCanonicalizing(
            array_keys($proofs),
            array_values(array_unique(array_map(intval(...), $used[1]))),
        );

        foreach ($proofs as $proof) {
            if (preg_match('~^\[(\w+)\]\(\.\./(tests/[\w/]+/\1\.php)\): `(\w+)`$~', $proof, $test) === 1) {
                self::assertContains($test[3], self::methods($test[2]), $proof);
            } else {
                self::assertMatchesRegularExpression('~^\[[^]]+\]\(https://\S+\): [^.]+~', $proof);
            }
        }
    }

    #[Test]
    public function each_test_of_the_comparison_is_a_proof(): void
    {
        $named = implode("\n", self::proofs());
        $methods = 0;

        foreach (Files::php(rtrim(self::TESTS, '/')) as $path) {
            foreach (self::methods($path) as $method) {
                $methods++;
                self::assertStringContainsString(
                    '(../'.$path."): `{$method}`",
                    $named,
                    self::PAGE.' has no proof of this name.',
                );
            }
        }

        self::assertGreaterThan(20, $methods);
    }

    /** The properties whose table gives this way this mark. */
    private static function properties(string $way, string $mark): string
    {
        $names = array_keys(array_filter(
            self::PROPERTIES,
            static fn (string $heading): bool => str_starts_with(self::table($heading)[$way][0], $mark),
        ));

        return $names === [] ? 'none' : implode(', ', $names);
    }

    /** @return array<int, string> by number */
    private static function proofs(): array
    {
        preg_match_all('/^(\d+)\. (.+)$/m', self::section('Proofs'), $found);

        return array_combine(array_map(intval(...), $found[1]), $found[2]);
    }

    /** @return array<string, array{string, string}> the other two cells, by the first one */
    private static function table(string $heading): array
    {
        preg_match_all('/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/m', self::section($heading), $rows, PREG_SET_ORDER);
        $cells = [];

        foreach (array_slice($rows, 1) as [, $way, $answer, $proof]) {
            $cells[$way] = [$answer, $proof];
        }

        return $cells;
    }

    private static function section(string $heading): string
    {
        self::assertSame(
            1,
            preg_match("/^## {$heading}\n(.*?)(?=^## |\z)/ms", Files::read(self::PAGE), $section),
            "No heading '{$heading}'.",
        );

        return $section[1];
    }

    /** @return list<string> */
    private static function methods(string $path): array
    {
        preg_match_all('/#\[Test\b[^\n]*\n(?:\s*#\[[^\n]*\n)*\s*public function (\w+)\(/', Files::read($path), $found);

        return $found[1];
    }
}
