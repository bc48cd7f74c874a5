<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Unit\Doctor\Logs\Traces;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;
use Traversable;

/**
 * bin/headroom in a process of its own, with no more memory than is promised.
 */
final class LogCommandsTest extends TestCase
{
    private const MEGABYTES = 24;

    #[Test]
    public function standard_input_of_any_size_is_read_in_32_megabytes(): void
    {
        $process = $this->headroom(['logs:slow', '--json', '-'], (static function (): iterable {
            for ($i = 0; $i < self::MEGABYTES; $i++) {
                yield str_repeat(Traces::session(), 100);
                // A line without end, and rubbish.
                yield "\n".str_repeat('x', 500_000);
                yield random_bytes(200_000)."\n";
            }
        })());
        $document = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertIsArray($document);
        self::assertSame(['', self::MEGABYTES * 100], [$process->getErrorOutput(), $document['traces']]);
        self::assertGreaterThanOrEqual(self::MEGABYTES, $document['overlong_lines']);
    }

    #[Test]
    public function without_a_file_and_with_an_unknown_option_it_is_wrong_usage(): void
    {
        foreach ([
            ['logs:slow'],
            ['logs:error'],
            ['logs:slow', '-', '-'],
            ['logs:error', '--nope', '-'],
        ] as $arguments) {
            $process = $this->headroom($arguments);

            self::assertSame(2, $process->getExitCode());
            self::assertSame('', $process->getOutput());
            self::assertNotSame('', $process->getErrorOutput());
        }
    }

    #[Test]
    public function on_a_terminal_a_bar_shows_how_far_it_is(): void
    {
        Needs::program('script', 'bsdutils');
        $directory = TemporaryDirectory::create('bar');

        try {
            $log = $directory->write('www.log.slow', str_repeat(Traces::session(), 3_000));
            $command = implode(
                ' ',
                array_map(escapeshellarg(...), [PHP_BINARY, dirname(__DIR__, 3).'/bin/headroom', 'logs:slow', $log]),
            );
            $process = new Process(
                ['script', '-qec', $command, '/dev/null'],
                env: ['TERM' => 'xterm', 'COLUMNS' => '120', 'NO_COLOR' => false],
            );
            $process->mustRun();

            self::assertMatchesRegularExpression('/www\.log\.slow \[.*100% /', $process->getOutput());
            self::assertMatchesRegularExpression('/3,000 \w+ \w+ 1 \w+,/', $process->getOutput());
        } finally {
            $directory->remove();
        }
    }

    /**
     * @param list<string> $arguments
     * @param iterable<string> $input
     */
    private function headroom(array $arguments, iterable $input = []): Process
    {
        $process = new Process(
            [PHP_BINARY, '-d', 'memory_limit=32M', dirname(__DIR__, 3).'/bin/headroom', ...$arguments],
            input: $input instanceof Traversable ? $input : null,
        );
        $process->run();

        return $process;
    }
}
