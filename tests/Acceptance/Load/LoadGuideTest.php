<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Console\Standalone\Bootstrap;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Process\Process;

/**
 * docs/commands.md and docs/load.md have each option of `load` and `load:compare`, and each example runs.
 */
#[RequiresPhpExtension('posix')]
final class LoadGuideTest extends TestCase
{
    private const OPTION = '/^- `--([a-z-]+)(?:=([A-Z]+))?`(?: \(default (.+?)\))?: \S/m';

    private const EXAMPLE = '/^- `--([a-z-]+)(?:=[A-Z]+)?`: `(.+)`$/m';

    /** @return iterable<string, array{string}> */
    public static function commands(): iterable
    {
        yield 'load' => ['load'];
        yield 'load:compare' => ['load:compare'];
    }

    #[Test]
    #[DataProvider('commands')]
    public function each_option_has_its_line_with_its_default(string $name): void
    {
        $documented = [];

        foreach (self::options($name) as $row) {
            $documented[$row[1]] = [($row[2] ?? '') !== '', $row[3] ?? ''];
        }

        $options = (new Bootstrap)->application()->find($name)->getNativeDefinition()->getOptions();
        self::assertEqualsCanonicalizing(array_keys($options), array_keys($documented));

        foreach ($options as $option) {
            self::assertSame($option->acceptValue(), $documented[$option->getName()][0], $option->getName());
            $default = $option->getDefault();

            if (is_string($default)) {
                self::assertSame($default, $documented[$option->getName()][1], $option->getName());
            }
        }
    }

    #[Test]
    public function the_chapter_on_load_has_each_option_too(): void
    {
        $chapter = (string) file_get_contents(self::docs('load.md'));
        preg_match('/^## Options$(.*?)^## /ms', $chapter, $section);
        $options = (new Bootstrap)->application()->find('load')->getNativeDefinition()->getOptions();

        self::assertSame(
            [],
            array_filter(
                array_map(static fn (InputOption $option): string => $option->getName(), array_values($options)),
                static fn (string $name): bool => preg_match("/^- [^:]*`--{$name}[=`]/m", $section[1] ?? '') !== 1,
            ),
        );
    }

    /** @return iterable<string, array{string, string}> */
    public static function examples(): iterable
    {
        $page = (string) file_get_contents(self::docs('load.md'));
        $section = (string) strstr($page, '## An example of each option');
        [$load, $compare] = [...explode('`php artisan headroom:load:compare`', $section), ''];

        foreach (['load' => $load, 'load:compare' => $compare] as $name => $text) {
            preg_match_all(self::EXAMPLE, $text, $examples, PREG_SET_ORDER);

            foreach ($examples as [, $option, $example]) {
                yield "{$name} --{$option}" => [$name, $example];
            }
        }
    }

    #[Test]
    #[DataProvider('commands')]
    public function each_option_has_an_example(string $name): void
    {
        $shown = array_filter(
            array_keys(iterator_to_array(self::examples())),
            static fn (string $key): bool => str_starts_with($key, "{$name} "),
        );

        self::assertEqualsCanonicalizing(
            array_map(static fn (array $line): string => "{$name} --{$line[1]}", self::options($name)),
            array_values($shown),
        );
    }

    #[Test, Group('day-1')]
    #[DataProvider('examples')]
    public function each_example_runs(string $name, string $example): void
    {
        $server = HttpServer::start();
        $directory = TemporaryDirectory::create('guide');
        $headroom = 'exec '.escapeshellarg(Programs::php()).' '.escapeshellarg(dirname(__DIR__, 3).'/bin/headroom');

        try {
            preg_match(
                '/^```json\n(\{\n    "data".*?)^```$/ms',
                (string) file_get_contents(self::docs('load.md')),
                $scenario,
            );
            preg_match('/^```text\n(email.*?)^```$/ms', (string) file_get_contents(self::docs('load.md')), $users);
            $directory->write('shop.json', $scenario[1] ?? '');
            $directory->write('users.csv', $users[1] ?? '');
            $directory->write('body.json', '{}');
            $directory->write(
                'access.log',
                '192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /ok HTTP/1.1" 200 5 "-" "x"'."\n",
            );

            if ($name === 'load:compare') {
                foreach (['before', 'after'] as $run) {
                    Headroom::load($server->url('/ok'), '--requests=50', "--output={$directory->file("{$run}.json")}");
                }
            }

            $process = Process::fromShellCommandline(
                "{$headroom} {$name} ".($name === 'load' ? escapeshellarg($server->url('/')).' ' : '').$example,
                $directory->path,
            );
            $process->run();
        } finally {
            $server->stop();
            $directory->remove();
        }

        // Which of two runs is the quicker one is nobody's fault.
        self::assertContains(
            $process->getExitCode(),
            $name === 'load' ? [0] : [0, 1, 3],
            $process->getErrorOutput().$process->getOutput(),
        );
        self::assertNotSame('', $process->getOutput());
    }

    /** @return list<array<int, string>> */
    private static function options(string $name): array
    {
        preg_match(
            "~^## `headroom:{$name}`\n(.*?)(?=^## |\z)~ms",
            (string) file_get_contents(self::docs('commands.md')),
            $section,
        );
        preg_match_all(self::OPTION, $section[1] ?? '', $lines, PREG_SET_ORDER);

        return $lines;
    }

    private static function docs(string $name): string
    {
        return dirname(__DIR__, 3)."/docs/{$name}";
    }
}
