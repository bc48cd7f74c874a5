<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ReadmeTest extends TestCase
{
    #[Test]
    public function the_papers_of_the_house_are_there(): void
    {
        foreach ([
            'README.md', 'LICENSE', 'CHANGELOG.md', 'UPGRADING.md', 'CONTRIBUTING.md', 'SECURITY.md',
            'docs/public-api.md',
        ] as $path) {
            self::assertFileExists(Files::root().'/'.$path);
        }
    }

    #[Test]
    public function the_readme_names_what_composer_json_requires(): void
    {
        self::assertFileExists(Files::root().'/README.md', 'README.md is missing.');
        $readme = Document::fromFile('README.md');

        self::assertContains(
            self::lowestPhp(),
            $readme->phpVersions(),
            'README.md does not say "PHP '.self::lowestPhp().'", the lowest version composer.json allows.',
        );
        self::assertSame(
            [],
            array_diff(self::laravelVersions(), $readme->laravelVersions()),
            'README.md does not name each Laravel version that composer.json allows.',
        );
        self::assertSame('headroom/headroom', self::composer('name'));
        self::assertTrue(
            $readme->says('composer require headroom/headroom'),
            'README.md does not say how to require the package.',
        );
    }

    #[Test]
    public function no_document_names_a_version_that_composer_json_excludes(): void
    {
        foreach (Document::all() as $document) {
            foreach ($document->phpVersions() as $version) {
                self::assertTrue(
                    version_compare($version, self::lowestPhp(), '>='),
                    "{$document->path} says PHP {$version}; composer.json begins at ".self::lowestPhp().'.',
                );
            }

            self::assertSame(
                [],
                array_diff($document->laravelVersions(), self::laravelVersions()),
                "{$document->path} names a Laravel version that composer.json does not allow.",
            );
        }
    }

    #[Test]
    public function no_figure_is_still_to_be_filled_in(): void
    {
        foreach (['README.md', 'benchmarks/write-buffer/README.md'] as $path) {
            self::assertDoesNotMatchRegularExpression(
                '/@@|[A-Z]+_US\b/',
                (string) file_get_contents(dirname(__DIR__, 2)."/{$path}"),
                $path,
            );
        }
    }

    #[Test]
    public function every_relative_link_leads_somewhere(): void
    {
        self::assertNothing(static fn (Document $document): array => $document->brokenLinks());
    }

    #[Test]
    public function every_make_target_that_is_named_exists(): void
    {
        preg_match_all('/^([a-z][a-z0-9-]*):/m', Files::read('Makefile'), $targets);

        self::assertNotSame([], $targets[1]);
        self::assertNothing(static fn (Document $document): array => $document->unknownMakeTargets($targets[1]));
    }

    #[Test]
    public function every_command_that_is_named_exists(): void
    {
        $source = implode("\n", array_map(Files::read(...), Files::php('src/Console', 'src/Laravel')));
        preg_match_all('/(?:AsCommand\(\s*(?:name: )?|\$signature = )[\'"](spool:[a-z-]+)/', $source, $commands);

        self::assertNotSame([], $commands[1]);
        // UPGRADING.md tells of these.
        $known = [...$commands[1], 'spool:dead', 'spool:unit'];
        self::assertNothing(static fn (Document $document): array => $document->unknownCommands(
            $document->path === 'UPGRADING.md' ? $known : $commands[1],
        ));
    }

    #[Test]
    public function no_path_package_or_unit_is_of_one_version_of_php(): void
    {
        self::assertNothing(static fn (Document $document): array => $document->pathsOfOnePhp());

        // Commands print what stands there.
        foreach ([...Files::php('src', 'config', 'bin'), ...Files::in('resources/sapi')] as $path) {
            self::assertSame([], Document::fromFile($path)->pathsOfOnePhp());
        }
    }

    #[Test]
    public function api_routes_are_named_with_the_command_that_makes_them(): void
    {
        self::assertNothing(static fn (Document $document): array => $document->untoldApiRoutes());
    }

    #[Test]
    public function a_path_with_a_php_version_is_found_and_a_plain_version_is_not(): void
    {
        $named = 'php8.2-fpm /etc/php/8.3/fpm/php.ini php-fpm8.4 /run/php/php8.5-fpm.sock apt-get install php9.0-redis'
            ." /opt/php84/bin\n";
        $facts = 'PHP 8.2, `"php": "8.2.36 cli NTS"`, php:^8.2, phpX.Y-fpm, /etc/php/X.Y/fpm,'
            ." /run/php/php-fpm.sock, docs/php.md, php8\n";

        self::assertCount(6, (new Document('x.md', $named))->pathsOfOnePhp());
        self::assertSame([], (new Document('x.md', $facts))->pathsOfOnePhp());
    }

    #[Test]
    public function api_routes_of_which_the_origin_is_not_told_are_seen(): void
    {
        $named = "in `routes/api.php`, GET /api/posts, and \"/api/orders\"\n";

        self::assertCount(3, (new Document('x.md', $named))->untoldApiRoutes());
        self::assertSame([], (new Document('x.md', "{$named}`php artisan install:api` makes it"))->untoldApiRoutes());
        self::assertSame(
            [],
            (new Document(
                'x.md',
                'http://localhost:5601/api/saved_objects, uses/api-metering.md, @opentelemetry/api-logs, /api-events',
            ))->untoldApiRoutes(),
        );
    }

    #[Test]
    public function a_link_that_leads_nowhere_is_seen(): void
    {
        $text = "# One heading: `it`\n[a](../composer.json) [b](gone.md) [c](#one-heading-it) [d](#two)"
            ." [e](https://x.y) `[f](gone)`\n```\n[g](gone)\n```\n";

        self::assertSame([
            'docs/x.md: gone.md leads to docs/gone.md, which is not there.',
            'docs/x.md: #two: docs/x.md has no heading for #two.',
        ], (new Document('docs/x.md', $text))->brokenLinks());
    }

    #[Test]
    public function a_target_or_command_that_does_not_exist_is_seen(): void
    {
        $document = new Document(
            'x.md',
            "To make sure, `make tset` and `QUICK=1 make test`, `make bench-*`:\n```\nmake demo\nphp artisan spool:flsh"
                ." --all\n```\n",
        );

        self::assertSame(
            ['x.md: make tset is not in the Makefile.', 'x.md: make demo is not in the Makefile.'],
            $document->unknownMakeTargets(['test', 'bench-write-buffer']),
        );
        self::assertSame(['x.md: spool:flsh is not a command.'], $document->unknownCommands(['spool:flush']));
    }

    #[Test]
    public function command_lines_are_read_with_their_options(): void
    {
        $document = new Document(
            'x.md',
            "Run `vendor/bin/headroom load --rate=5 -n 3`, not headroom compare; see headroom.php.\n```\n"
                ."php artisan headroom:doctor --only=N5 \\\n    --json   # --not-an-option\nheadroom logs:slow a | x"
                ." --no\n```\n",
        );

        self::assertSame([
            ['program' => 'vendor/bin/headroom', 'command' => 'load', 'options' => ['rate']],
            ['program' => 'php artisan', 'command' => 'headroom:doctor', 'options' => ['only', 'json']],
            ['program' => 'headroom', 'command' => 'logs:slow', 'options' => []],
        ], $document->commandLines());
    }

    #[Test]
    public function versions_are_read_from_text(): void
    {
        $document = new Document(
            'x.md',
            'PHP 8.2 or newer, PHP ^8.3, PHP ≥ 8.4; Laravel 11 and 12; Laravel 13; Laravel is 2 things',
        );

        self::assertSame(['8.2', '8.3', '8.4'], $document->phpVersions());
        self::assertSame(['11', '12', '13'], $document->laravelVersions());
    }

    /** @param callable(Document): list<string> $complaints */
    private static function assertNothing(callable $complaints): void
    {
        $found = array_merge(...array_map($complaints, Document::all()));

        self::assertSame('', implode("\n", $found));
    }

    private static function lowestPhp(): string
    {
        return self::versionsIn('require', 'php')[0];
    }

    /** @return list<string> majors */
    private static function laravelVersions(): array
    {
        return array_map(
            static fn (string $version): string => explode('.', $version)[0],
            self::versionsIn('require-dev', 'laravel/framework'),
        );
    }

    /** @return non-empty-list<string> such as "8.2" */
    private static function versionsIn(string $section, string $package): array
    {
        $required = self::composer($section);
        $constraint = is_array($required) ? $required[$package] ?? null : null;
        self::assertIsString($constraint, "composer.json has no {$section} of {$package}.");
        preg_match_all('/\d+\.\d+/', $constraint, $versions);
        self::assertNotEmpty(
            $versions[0],
            "{$package} is required as {$constraint}; this test reads versions such as ^8.2.",
        );

        return $versions[0];
    }

    private static function composer(string $key): mixed
    {
        $composer = json_decode(Files::read('composer.json'), true, flags: JSON_THROW_ON_ERROR);

        return is_array($composer) ? $composer[$key] ?? null : null;
    }
}
