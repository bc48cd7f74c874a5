<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Process\Programs;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Runs that bin/headroom load refuses before the first request.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class LoadUsageTest extends TestCase
{
    /**
     * @return iterable<string, array{list<string>, list<string>}> arguments, and the names and numbers in the message
     */
    public static function wrongUsage(): iterable
    {
        $url = 'http://127.0.0.1:1/';

        yield 'no url' => [[], ['missing: "url"']];
        yield 'no such option' => [[$url, '--samples=1', '--bogus'], ['--samples', '--requests']];
        yield 'both ends' => [[$url, '--requests=1', '--duration=1'], ['requests', 'duration']];
        yield 'both bodies' => [[$url, '--body=x', '--body-file=y'], ['body', 'body-file']];
        yield 'not a number' => [[$url, '--requests=many'], ['requests', "'many'"]];
        yield 'no samples' => [[$url, '--requests=0'], ['requests', "'0'", '1']];
        yield 'no time' => [[$url, '--duration=-1'], ['duration', "'-1'", '0.001']];
        yield 'no users' => [[$url, '--concurrency=0'], ['concurrency', "'0'"]];
        yield 'no patience' => [[$url, '--timeout=0'], ['timeout', "'0'"]];
        yield 'no pause' => [[$url, '--pause=-1'], ['pause', "'-1'", '0', '3600000']];
        yield 'a pause that is none' => [[$url, '--pause=0.5d'], ['pause', "'0.5d'"]];
        yield 'no rate' => [[$url, '--rate=0'], ['rate', "'0'", '0']];
        yield 'a rate that is none' => [[$url, '--rate=fast'], ['rate', "'fast'"]];
        yield 'rate and pause' => [[$url, '--rate=10', '--pause=5'], ['rate', 'pause']];
        yield 'rate and samples' => [[$url, '--rate=10', '--requests=5'], ['requests', 'rate']];
        yield 'rate and ramp' => [[$url, '--rate=10', '--ramp=1:2:3'], ['rate', 'ramp']];
        yield 'ramp and duration' => [[$url, '--duration=10', '--ramp=1:2:3'], ['duration', 'ramp']];
        yield 'ramp of users and concurrency' => [[$url, '--concurrency=10', '--ramp=1:2:3'], ['concurrency', 'ramp']];
        yield 'ramp of a rate and pause' => [[$url, '--pause=10', '--ramp=1/s:2/s:3'], ['pause', 'ramp']];
        yield 'a ramp that is none' => [[$url, '--ramp=1:2'], ['ramp', "'1:2'", 'FROM:TO:TIME']];
        yield 'a ramp of two units' => [[$url, '--ramp=1:2/s:3'], ['ramp', "'1:2/s:3'"]];
        yield 'ramps of two units' => [[$url, '--ramp=1:2:3', '--ramp=1/s:2/s:3'], ['ramp', '1/s:2/s:3']];
        yield 'a ramp of no time' => [[$url, '--ramp=1:2:0'], ['ramp', "'0'", '0.001']];
        yield 'error-status and expect-status' => [
            [$url, '--error-status=5xx', '--expect-status=200'],
            ['error-status', 'expect-status'],
        ];
        yield 'no status' => [[$url, '--expect-status=ok'], ['expect-status', "'ok'", '100', '599']];
        yield 'a status that is none' => [[$url, '--expect-status=200,999'], ['expect-status', "'200,999'"]];
        yield 'any body' => [[$url, '--expect-body='], ['expect-body', "''"]];
        yield 'no threshold' => [[$url, '--threshold=slow'], ['threshold', "'slow'"]];
        yield 'what no closed run has' => [[$url, '--threshold=late<1'], ['threshold', "'late<1'"]];
        yield 'no process' => [[$url, '--processes=0'], ['processes', "'0'", '1', '64', '10']];
        yield 'more processes than users' => [[$url, '--processes=4', '--concurrency=3'], ['processes', '3']];
        yield 'not a whole user' => [[$url, '--ramp=0:0.4:1'], ['ramp', "'0.4'", '1']];
        yield 'speed of nothing' => [[$url, '--speed=2'], ['speed', 'replay']];
        yield 'scenario and body' => [[$url, '--scenario=x', '--body=y'], ['scenario', 'body']];
        yield 'replay and rate' => [[$url, '--replay=x', '--rate=2'], ['replay', 'rate']];
        yield 'no log' => [[$url, '--replay=/no/such/log'], ['replay', "'/no/such/log'"]];
        yield 'no requests in it' => [[$url, '--replay='.__FILE__], ['LoadUsageTest.php', 'GET', 'HEAD']];
        yield 'no speed' => [[$url, '--replay='.__FILE__, '--speed=fast'], ['speed', "'fast'", "'max'"]];
        yield 'no scenario' => [[$url, '--scenario=/no/such/file'], ['scenario', "'/no/such/file'"]];
        yield 'no address' => [['127.0.0.1'], ['url', "'127.0.0.1'"]];
        yield 'no header' => [[$url, '--header=X'], ['header', "'X'"]];
        yield 'no method' => [[$url, '--method='], ['method', "''"]];
        yield 'no such file' => [[$url, '--body-file=/no/such/file'], ['body-file', "'/no/such/file'"]];
        yield 'no such placeholder' => [[$url, '--body={{what}}'], ['{{what}}']];
        yield 'not our host' => [
            ['http://example.invalid/', '--no-interaction'],
            ['example.invalid', '--i-own-this-host'],
        ];
    }

    /**
     * @param list<string> $arguments
     * @param list<string> $named
     */
    #[Test, Group('day-2')]
    #[DataProvider('wrongUsage')]
    public function wrong_usage_sends_nothing_and_exits_with_2(array $arguments, array $named): void
    {
        $process = Headroom::load(...$arguments);

        self::assertSame(2, $process->getExitCode(), $process->getErrorOutput());
        self::assertSame('', $process->getOutput());
        Sentence::assertNames($named, $process->getErrorOutput());
        Snapshot::assertPrinted(
            'load usage',
            "{$this->dataName()}",
            (string) preg_replace('/\s+/', ' ', $process->getErrorOutput()),
        );
    }

    #[Test]
    public function another_host_is_loaded_when_it_is_said_to_be_owned(): void
    {
        $process = Headroom::load(
            'http://no-such-host.invalid/', '--requests=1', '--i-own-this-host', '--json', '--no-interaction',
        );

        self::assertSame(4, $process->getExitCode(), $process->getErrorOutput());
    }

    #[Test]
    public function more_users_than_open_files_are_refused_before_the_run(): void
    {
        $server = HttpServer::start();

        try {
            $process = new Process([
                '/bin/sh',
                '-c',
                'ulimit -n 64 && exec "$@"',
                'sh',
                Programs::php(),
                dirname(__DIR__, 3).'/bin/headroom',
                'load',
                $server->url('/ok'),
                '--concurrency=100',
            ]);

            self::assertSame(2, $process->run(), $process->getErrorOutput());
            self::assertStringContainsString('ulimit -n 140', $process->getErrorOutput());
            self::assertSame([], $server->requests());
        } finally {
            $server->stop();
        }
    }
}
