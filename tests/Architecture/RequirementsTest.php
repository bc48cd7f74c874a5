<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use Headroom\Spool\Cron;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/requirements.md says what composer.json and dev/platforms.sh say.
 */
final class RequirementsTest extends TestCase
{
    private const STATES = ['tested', 'should work, untested', 'no'];

    #[Test]
    public function the_table_has_the_versions_that_composer_json_allows_and_no_other(): void
    {
        self::assertSame(Manifest::majors('require-dev', 'laravel/framework'), self::allowed('Laravel'));
        self::assertSame(Manifest::majors('require', 'symfony/console'), self::allowed('Symfony'));
        self::assertSame(
            Manifest::majors('require', 'symfony/console'),
            Manifest::majors('require', 'symfony/process'),
        );
        self::assertSame(Manifest::below('guzzlehttp/guzzle'), max(self::allowed('Guzzle')) + 1);
        self::assertStringStartsWith(
            '<'.min(self::allowed('Guzzle')).'.',
            Manifest::constraint('conflict', 'guzzlehttp/guzzle'),
        );

        foreach (['laravel/framework', 'illuminate/database'] as $package) {
            self::assertSame(max(self::allowed('Laravel')) + 1, Manifest::below($package));
        }

        preg_match_all('/^PHP (\d+\.\d+)/m', implode("\n", array_keys(self::rows())), $versions);
        self::assertSame('^'.$versions[1][0], Manifest::constraint('require', 'php'));
        self::assertSame(Manifest::constraint('require', 'php'), Manifest::constraint('require', 'php-64bit'));
    }

    #[Test]
    public function the_command_for_cron_expressions_installs_a_version_that_composer_json_allows(): void
    {
        preg_match('/^(.+):\^(\d+)\.(\d+)$/', Cron::PACKAGE, $it);
        [, $package, $major, $minor] = $it + ['', '', '0', '0'];

        self::assertSame(
            "<{$major}.{$minor} || >=".((int) $major + 1).'.0',
            Manifest::constraint('conflict', $package),
        );
        self::assertStringContainsString("(^{$major}.{$minor})", Manifest::constraint('suggest', $package));
    }

    #[Test]
    public function each_tested_version_names_its_platforms(): void
    {
        preg_match_all('/^\| `([a-z0-9-]+)`[^|]*\| Debian/m', Files::read('docs/requirements.md'), $platforms);
        self::assertSame(self::platforms(), $platforms[1]);

        foreach (self::rows() as $what => [$state, $by]) {
            self::assertContains($state, self::STATES, $what);
            self::assertSame(
                $state === 'tested',
                $by !== '',
                "{$what}: a platform for what is tested, and for nothing else.",
            );
            preg_match_all('/`([^`]+)`/', $by, $named);
            self::assertSame([], array_diff($named[1], [...$platforms[1], 'make test']), $what);
        }
    }

    #[Test]
    public function the_readme_leads_to_it(): void
    {
        self::assertTrue(Document::fromFile('README.md')->says('](docs/requirements.md)'));
    }

    /** @return list<string> */
    private static function platforms(): array
    {
        self::assertFileExists(Files::root().'/dev/platforms.sh');
        preg_match('/^ORDER=\(([^)]+)\)$/m', Files::read('dev/platforms.sh'), $order);

        return explode(' ', $order[1] ?? '');
    }

    /** @return non-empty-list<int> majors that are not refused */
    private static function allowed(string $name): array
    {
        $majors = [];

        foreach (self::rows() as $what => [$state]) {
            if ($state !== 'no' && preg_match("/^{$name} (\d+)\b/", $what, $m) === 1) {
                $majors[] = (int) $m[1];
            }
        }

        self::assertNotEmpty($majors, $name);

        return $majors;
    }

    /** @return array<string, array{string, string}> by what it is: the state, and which platforms test it */
    private static function rows(): array
    {
        preg_match_all('/^\| what \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/m', Files::read('docs/requirements.md'), $tables);
        $rows = [];

        foreach (explode("\n", trim(implode('', $tables[1]))) as $line) {
            $cells = array_map(trim(...), explode('|', trim($line, '|')));
            self::assertCount(3, $cells, $line);
            $rows[$cells[0]] = [$cells[1], $cells[2]];
        }

        return $rows;
    }
}
