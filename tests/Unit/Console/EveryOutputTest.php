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
 * Colours of all commands, on stdout and on stderr.
 */
#[Group('smoke')]
final class EveryOutputTest extends TestCase
{
    private const COLOUR = '/\e\[[\d;]+m/';

    /** Arguments with which a command does not examine this machine, whose state would differ between two runs. */
    private const ARGUMENTS = ['doctor' => ['--only=none'], 'doctor:top' => ['--pool=none', '--looks=1']];

    /** They print facts of the machine, which may change between two runs. */
    private const OF_THE_MACHINE = ['doctor', 'doctor:top', 'preload:status'];

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('output');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function a_command_that_lacks_its_configuration_has_colours_only_where_asked(): void
    {
        $names = array_column(CommandList::TOOLS + CommandList::SPOOL, 0);
        self::assertGreaterThan(35, count($names));

        foreach (Sample::of($names, 6) as $name) {
            $this->check($name, self::ARGUMENTS[$name] ?? []);
        }
    }

    /** @return iterable<string, array{list<string>}> */
    public static function reports(): iterable
    {
        yield 'spool:status' => [['spool:status']];
        yield 'preload:status' => [['preload:status']];
        yield 'spool:health' => [['spool:health']];
        yield 'load:compare' => [['load:compare', 'before.json', 'after.json']];
        yield 'logs:error' => [['logs:error', 'error.log']];
        yield 'logs:slow' => [['logs:slow', 'slow.log']];
    }

    /** @param non-empty-list<string> $command */
    #[Test]
    #[DataProvider('reports')]
    public function a_report_has_colours_only_where_asked(array $command): void
    {
        $this->directory->write('headroom.php', <<<'PHP'
            <?php return ['spool' => [
                'path' => __DIR__.'/spool',
                'enabled' => false,
                'buckets' => ['events' => ['sink' => 'file', 'path' => __DIR__.'/events.ndjson']],
            ]];
            PHP);
        $this->directory->write('before.json', self::resultOf(10_000));
        $this->directory->write('after.json', self::resultOf(90_000));
        $this->directory->write('error.log', '2026/03/14 09:41:07 [error] 1#1: *1 connect() failed (111: Connection '
            .'refused) while connecting to upstream, client: 203.0.113.9, server: shop.test, request: "GET / HTTP/1.1",'
            ." upstream: \"fastcgi://127.0.0.1:9000\", host: \"shop.test\"\n");
        $this->directory->write('slow.log', "[14-Mar-2026 09:41:07]  [pool www] pid 7\nscript_filename = /a/index.php\n"
            ."[0x00007f0000000000] curl_exec() /a/Client.php:3\n\n");

        $this->check($command[0], array_slice($command, 1));
    }

    private static function resultOf(int $micros): string
    {
        $latency = array_fill_keys(['mean', 'p50', 'p90', 'p95', 'p99'], $micros);
        $slot = ['seconds' => 1.0, 'succeeded' => 100, 'errors' => [], 'latency_us' => $latency];

        return json_encode([
            'url' => 'http://127.0.0.1/', 'method' => 'GET', 'plan' => ['concurrency' => 10, 'requests' => null],
            'error_rate' => 0.0, 'requests_per_second' => 1_000.0, 'seconds' => 20.0, 'sent' => 2_000,
            'succeeded' => 2_000, 'unfinished' => 0, 'latency_us' => ['with_timeouts' => $latency],
            'timeline' => array_fill(0, 20, $slot),
        ], JSON_THROW_ON_ERROR);
    }

    /** @param list<string> $arguments */
    private function check(string $name, array $arguments): void
    {
        $piped = $this->printed([$name, ...$arguments]);
        $coloured = $this->printed([$name, ...$arguments, '--ansi']);

        self::assertNotSame('', trim($piped), $name);
        self::assertStringNotContainsString("\e", $piped, $name);
        self::assertMatchesRegularExpression(self::COLOUR, $coloured, $name);
        $plain = [
            preg_replace(self::COLOUR, '', $coloured),
            $this->printed([$name, ...$arguments, '--no-ansi'], ['FORCE_COLOR' => '1']),
            $this->printed([$name, ...$arguments], ['NO_COLOR' => '1']),
        ];
        self::assertStringNotContainsString("\e", implode('', $plain), $name);

        if (! in_array($name, self::OF_THE_MACHINE, true)) {
            self::assertSame([$piped, $piped, $piped], $plain, $name);
        }
    }

    /**
     * @param list<string> $command
     * @param array<string, string|false> $environment
     */
    private function printed(array $command, array $environment = []): string
    {
        $process = new Process(
            [Programs::php(), dirname(__DIR__, 3).'/bin/headroom', ...$command],
            $this->directory->path,
            $environment + ['NO_COLOR' => false, 'FORCE_COLOR' => false],
            timeout: 30,
        );
        $process->run();

        return $process->getOutput().$process->getErrorOutput();
    }
}
