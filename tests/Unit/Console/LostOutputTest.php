<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console;

use Headroom\Console\Registry\CommandList;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * What a command says if the system does not accept its output.
 */
#[Group('smoke')]
final class LostOutputTest extends TestCase
{
    private const LOST = 'The output could not be written: No space left on device.';

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('lost');
        $this->directory->write('headroom.php', <<<'PHP'
            <?php return ['spool' => [
                'path' => __DIR__.'/spool',
                'buckets' => ['events' => ['sink' => 'file', 'path' => __DIR__.'/events.ndjson']],
            ]];
            PHP);
        $this->directory->write('slow.log', "[14-Mar-2026 09:41:07]  [pool www] pid 7\nscript_filename = /a/index.php\n"
            ."[0x00007f0000000000] curl_exec() /a/Client.php:3\n\n");
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function the_help_of_a_command_does_not_end_with_0_on_a_full_disk(): void
    {
        foreach (Sample::of(array_column(CommandList::TOOLS + CommandList::SPOOL, 0), 5) as $name) {
            self::assertSame([1, self::LOST], $this->headroom("{$name} --help > /dev/full"), $name);
        }
    }

    /** @return iterable<string, array{string}> */
    public static function reports(): iterable
    {
        yield 'the list' => ['list'];
        yield 'the version' => ['--version'];
        yield 'the doctor' => ['doctor --only=L1'];
        yield 'JSON' => ['spool:status --json'];
        yield 'the status' => ['spool:status'];
        yield 'a flush' => ['spool:flush'];
        yield 'a log' => ['logs:slow slow.log'];
        yield 'an error as JSON' => ['load:compare no-such.json other.json --json'];
    }

    #[Test]
    #[DataProvider('reports')]
    public function a_report_that_a_full_disk_loses_is_never_a_success(string $command): void
    {
        [$exit, $errors] = $this->headroom("{$command} > printed");
        self::assertNotSame('', file_get_contents($this->directory->file('printed')));

        self::assertSame(
            [$exit === 0 ? 1 : $exit, trim($errors."\n".self::LOST)],
            $this->headroom("{$command} > /dev/full"),
        );
    }

    #[Test]
    #[DataProvider('reports')]
    public function a_reader_that_has_closed_the_pipe_changes_nothing(string $command): void
    {
        $expected = $this->headroom("{$command} > printed");

        // true(1) has ended, without reading, before the command prints.
        self::assertSame(
            $expected,
            $this->shell("{ { sleep 0.3; {$this->program()} {$command}; echo $? > exit; } | true; }; exit $(cat exit)"),
        );
    }

    #[Test]
    public function a_pipe_that_does_not_block_gets_the_whole_output(): void
    {
        $this->directory->write('nonblocking.php', '<?php stream_set_blocking(STDOUT, false);');
        // A pipe has room for 64 KiB.
        $list = $this->program('-d', 'auto_prepend_file=nonblocking.php').' list --format=json';

        self::assertSame([0, ''], $this->shell("{$list} | { sleep 0.5; cat > piped; }"));
        self::assertSame([0, ''], $this->shell("{$list} > written"));
        $piped = (string) file_get_contents($this->directory->file('piped'));
        self::assertGreaterThan(65_536, strlen($piped));
        self::assertSame(file_get_contents($this->directory->file('written')), $piped);
    }

    /** @return array{?int, string} exit code and errors */
    private function headroom(string $arguments): array
    {
        return $this->shell("{$this->program()} {$arguments}");
    }

    private function program(string ...$options): string
    {
        $command = [Programs::php(), ...array_values($options), dirname(__DIR__, 3).'/bin/headroom'];

        return implode(' ', array_map(escapeshellarg(...), $command));
    }

    /** @return array{?int, string} exit code and errors */
    private function shell(string $line): array
    {
        $process = Process::fromShellCommandline($line, $this->directory->path);
        $process->run();

        return [$process->getExitCode(), trim($process->getErrorOutput())];
    }
}
