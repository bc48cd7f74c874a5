<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use FilesystemIterator;
use Headroom\Spool\Buffer;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/**
 * A named pipe in the place of any file of the buffer: who opens one waits for a writer that never comes.
 */
final class PipesTest extends DirectoryTestCase
{
    private const COMMANDS = [
        ['spool:failed', 'events'], ['spool:failed:show', 'events:1-1-1'], ['spool:failed:export', 'all'],
        ['spool:retry', 'all'], ['spool:forget', 'all'],
        ['spool:verify'], ['spool:status'], ['spool:health'], ['spool:peek', 'events'], ['spool:clean'],
        ['spool:flush'], ['spool:pause', 'events'], ['spool:resume', 'events'],
        ['spool:replay', 'events', '--from=1 hour ago'],
        ['collect:status'], ['collect:key', 'list'],
    ];

    private const SECONDS = 30;

    protected function setUp(): void
    {
        parent::setUp();
        $this->directory->write(
            'headroom.php',
            '<?php return ["spool" => ["path" => __DIR__."/spool", "buckets" => ["events" => ["sink" => "file",'
                .' "path" => __DIR__."/out"]]]];',
        );
    }

    #[Test, Group('day-1')]
    public function no_command_waits_for_a_pipe_in_the_place_of_a_file(): void
    {
        $hung = [];

        foreach (Sample::of($this->files(), 4) as $name => $path) {
            rename($path, $aside = $this->directory->file('aside'));
            posix_mkfifo($path, 0o600);

            foreach (self::COMMANDS as $command) {
                try {
                    $this->command($command);
                } catch (ProcessTimedOutException) {
                    $hung[] = implode(' ', $command)." waits for {$name}";
                }
            }

            @unlink($path);
            @mkdir(dirname($path), 0o700, true);
            rename($aside, $path);
        }

        self::assertSame([], $hung);
    }

    /** @return array<string, string> paths of all files that a buffer has, by name */
    private function files(): array
    {
        $bucket = $this->directory->file('spool/buckets/events');
        $place = static fn (int $segment): string => sprintf('%020d-%020d-00000', $segment, 0);

        foreach (['first', 'second'] as $event) {
            Buffer::fromArray(['path' => $this->directory->file('spool')])->bucket('events')->add(['event' => $event]);
            $this->command($event === 'first' ? ['spool:flush'] : ['collect:key', 'create', 'shop']);
        }

        $this->command(['spool:pause', 'events']);

        foreach ([
            'dead/'.$place(1).'.json' => '{}',
            'dead/'.$place(2).'.gone' => '',
            sprintf('quarantine/%020d-%020d.bin', 1, 0) => 'x',
        ] as $name => $text) {
            @mkdir(dirname("{$bucket}/{$name}"), 0o700, true);
            file_put_contents("{$bucket}/{$name}", $text);
        }

        $files = [];
        $root = $this->directory->file('spool');

        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator(
            $root,
            FilesystemIterator::SKIP_DOTS,
        )) as $file) {
            if ($file instanceof SplFileInfo && $file->isFile()) {
                $files[substr($file->getPathname(), strlen($root) + 1)] = $file->getPathname();
            }
        }

        self::assertGreaterThan(8, count($files));
        ksort($files);

        return $files;
    }

    /** @param list<string> $command */
    private function command(array $command): void
    {
        (new Process(
            [PHP_BINARY, dirname(__DIR__, 2).'/bin/headroom', ...$command, '--no-interaction'],
            $this->directory->path,
            timeout: self::SECONDS,
        ))->run();
    }
}
