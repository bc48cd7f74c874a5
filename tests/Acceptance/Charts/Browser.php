<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Charts;

use Closure;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * A real Chromium without what a window needs, by way of tests/Browser/look.mjs.
 *
 * @phpstan-type Section array{
 *     label: ?string,
 *     empty: ?string,
 *     busy: string,
 *     rows: list<array{string, int, string}>,
 *     total: ?int,
 *     ink: int,
 * }
 * @phpstan-type State array{
 *     status: string,
 *     problem: ?string,
 *     address: string,
 *     focus: string,
 *     background: string,
 *     overflow: int,
 *     sections: array<string, Section>,
 * }
 * @phpstan-type Chart array{
 *     name: string,
 *     width: int,
 *     height: int,
 *     colours: list<string>,
 *     lines: int,
 *     marks: int,
 *     rows: int,
 * }
 * @phpstan-type Figures array{
 *     background: string,
 *     overflow: int,
 *     outside: list<string>,
 *     headings: list<string>,
 *     charts: list<Chart>,
 * }
 * @phpstan-type Report array{
 *     background: string,
 *     overflow: int,
 *     text: string,
 *     what: string,
 *     headings: list<string>,
 *     foreign: int,
 *     charts: list<array{name: string, label: string, width: int, ink: int}>,
 *     rows: array<string, list<list<string>>>,
 * }
 * @phpstan-type Drawing array{
 *     role: ?string,
 *     label: ?string,
 *     legend: list<string>,
 *     folded: bool,
 *     rows: list<list<string>>,
 *     width: int,
 *     ink: int,
 *     axes: list<string>,
 *     written: list<string>,
 *     drawn: array<string, list<mixed>>,
 * }
 * @phpstan-type Blocks array{
 *     background: string,
 *     overflow: int,
 *     sideways: int,
 *     title: string,
 *     what: string,
 *     text: string,
 *     headings: list<string>,
 *     sections: array<string, string>,
 *     contents: list<string>,
 *     links: list<array{string, string}>,
 *     code: list<string>,
 *     foreign: int,
 *     tables: array<string, list<list<list<string>>>>,
 *     right: array<string, list<string>>,
 *     faint: list<string>,
 *     told: int,
 *     figures: array<string, Drawing>,
 * }
 * @phpstan-type Layout array{
 *     overflow: int,
 *     wide: list<string>,
 *     outside: list<string>,
 *     broken: list<string>,
 *     words: int,
 * }
 * @phpstan-type SitePage array{
 *     title: string,
 *     background: string,
 *     overflow: int,
 *     outside: list<string>,
 *     faint: list<string>,
 *     boxes: list<string>,
 *     unread: list<string>,
 *     results: list<string>,
 *     tree: int,
 * }
 * @phpstan-type Seen array{
 *     errors: list<string>,
 *     elsewhere: list<string>,
 *     requests: list<string>,
 *     states: array<string, State>,
 *     figures: array<string, Figures>,
 *     reports: array<string, Report>,
 *     pages: array<string, Blocks>,
 *     layouts: array<string, Layout>,
 *     site: array<string, SitePage>,
 * }
 */
final readonly class Browser
{
    private const ROOT = __DIR__.'/../../..';

    /** It draws as chromium does, and starts with half the work. */
    private const PROGRAM = 'chromium-headless-shell';

    /**
     * @param list<array<string, mixed>> $steps
     * @return Seen
     */
    public static function look(string $url, array $steps, int $width = 1280, bool $dark = false): array
    {
        /** @var Seen $seen */
        $seen = self::run('look.mjs', ['url' => $url, 'steps' => $steps, 'width' => $width, 'dark' => $dark], true);

        return $seen;
    }

    /**
     * @param array<string, mixed> $input
     * @param bool $isArgument whether the program reads its input from its argument, and not from stdin
     * @return array<string, mixed> what the program prints
     */
    public static function run(
        string $program,
        array $input,
        bool $isArgument = false,
        ?Closure $act = null,
    ): array {
        self::needed();
        $directory = TemporaryDirectory::create('browser');
        $json = json_encode(
            [...$input, 'directory' => $directory->path, 'chromium' => Programs::optional(self::PROGRAM)],
            JSON_THROW_ON_ERROR,
        );

        try {
            $process = new Process(
                ['node', self::ROOT."/tests/Browser/{$program}", ...($isArgument ? [$json] : [])],
                env: ['HEADROOM_BROWSER' => (string) realpath(self::ROOT.'/build/browser')],
                input: $isArgument ? null : $json,
                timeout: 180,
            );
            $process->run(
                $act === null ? null : static fn (string $type, string $text) => self::perform($text, $act, $directory),
            );
            Assert::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        } finally {
            $directory->remove();
        }

        /** @var array<string, mixed> $seen */
        $seen = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);

        return $seen;
    }

    /** @param Closure(string): mixed $act */
    private static function perform(string $text, Closure $act, TemporaryDirectory $directory): void
    {
        preg_match_all('/^act (\w+)$/m', $text, $asked);

        foreach ($asked[1] as $name) {
            $act($name);
            $directory->write("{$name}.done", '');
        }
    }

    public static function needed(): void
    {
        if (
            Programs::optional(self::PROGRAM) === null
            || Programs::optional('node') === null
            || ! is_dir(self::ROOT.'/build/browser/node_modules/playwright-core')
            || ! is_dir(self::ROOT.'/build/browser/node_modules/axe-core')
        ) {
            MissingServer::named('chromium', 'No browser for tests is here: bin/services install chromium');
        }
    }
}
