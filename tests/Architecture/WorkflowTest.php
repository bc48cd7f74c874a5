<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * .github/workflows/ runs on the machines of another company: it may do little there,
 * and runs what composer.json allows.
 */
final class WorkflowTest extends TestCase
{
    #[Test]
    public function each_action_is_pinned_to_a_commit_with_its_version_beside_it(): void
    {
        foreach (self::workflows() as $path => $text) {
            preg_match_all('/^ *(?:- )?uses:.*$/m', $text, $uses);
            self::assertNotSame([], $uses[0], $path);
            self::assertSame(
                [],
                preg_grep(
                    '~^ *(?:- )?uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v?\d+\.\d+\.\d+$~',
                    $uses[0],
                    PREG_GREP_INVERT,
                ),
                $path,
            );
        }
    }

    #[Test]
    public function it_may_read_the_repository_and_nothing_else(): void
    {
        foreach (self::workflows() as $path => $text) {
            self::assertSame(1, preg_match_all('/^ *permissions:/m', $text), $path);
            self::assertSame(1, preg_match("/^permissions:\n  contents: read\n(?! )/m", $text), $path);
            self::assertDoesNotMatchRegularExpression(
                '/\bsecrets\b|github\.token|pull_request_target|workflow_run/',
                $text,
                $path,
            );
            self::assertSame(
                substr_count($text, 'actions/checkout@'),
                substr_count($text, "\n          persist-credentials: false\n"),
                $path,
            );
        }
    }

    #[Test]
    public function each_job_ends_and_a_newer_run_ends_an_older_one(): void
    {
        foreach (self::workflows() as $path => $text) {
            self::assertSame(
                preg_match_all('/^    runs-on: /m', $text),
                preg_match_all('/^    timeout-minutes: \d+$/m', $text),
                $path,
            );
            self::assertSame(1, preg_match('/^concurrency:\n  group: .+\n  cancel-in-progress: true$/m', $text), $path);
        }
    }

    #[Test]
    public function no_expression_is_pasted_into_a_shell(): void
    {
        foreach (self::workflows() as $path => $text) {
            preg_match_all('/^( *)(?:- )?run: (?:\|\n(?:\1 +.*\n|\n)+|.*\n)/m', $text, $scripts);
            self::assertNotSame([], $scripts[0], $path);
            self::assertSame([], preg_grep('/\$\{\{/', $scripts[0]), $path);
        }
    }

    #[Test]
    public function the_matrix_has_each_php_and_each_laravel_that_the_requirements_name(): void
    {
        $text = self::workflows()['.github/workflows/ci.yml'] ?? '';
        preg_match_all("/^ +- \\{ php: '([\\d.]+)', laravel: '(\\d+)', symfony: '[\\^~]?(\\d+)\\.\\S+', guzzle: '[\\^~]?(\\d+)\\./m", $text, $rows);
        preg_match_all('/^\| PHP (\d+\.\d+) /m', Files::read('docs/requirements.md'), $named);

        self::assertSame($named[1], self::sorted($rows[1]));
        self::assertSame('^'.$named[1][0], Manifest::constraint('require', 'php'));
        self::assertSame(
            Manifest::majors('require-dev', 'laravel/framework'),
            array_map(intval(...), self::sorted($rows[2])),
        );
        self::assertSame(
            Manifest::majors('require', 'symfony/console'),
            array_map(intval(...), self::sorted($rows[3])),
        );
        self::assertContains((string) (Manifest::below('guzzlehttp/guzzle') - 1), $rows[4]);
    }

    #[Test]
    public function a_required_package_does_not_contain_it(): void
    {
        self::assertMatchesRegularExpression('~^/\.github export-ignore$~m', Files::read('.gitattributes'));
    }

    /** @return array<string, string> by path */
    private static function workflows(): array
    {
        $paths = array_filter(
            Files::in('.github/workflows'),
            static fn (string $path): bool => preg_match('/\.ya?ml\z/', $path) === 1,
        );
        self::assertNotSame([], $paths);

        return array_combine($paths, array_map(Files::read(...), $paths));
    }

    /**
     * @param list<string> $versions
     * @return list<string>
     */
    private static function sorted(array $versions): array
    {
        $versions = array_unique($versions);
        usort($versions, static fn (string $a, string $b): int => version_compare($a, $b));

        return $versions;
    }
}
