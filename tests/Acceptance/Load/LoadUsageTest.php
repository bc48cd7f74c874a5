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
    /** @return iterable<string, array{list<string>, list<string>}> */
    private static function wrongStages(string $url): iterable
    {
        yield 'rate and stage' => [[$url, '--rate=10', '--stage=3:2'], ['rate', 'stage']];
        yield 'stage and duration' => [[$url, '--duration=10', '--stage=3:2'], ['duration', 'stage']];
        yield 'stage of virtual users and concurrency' => [
            [$url, '--concurrency=10', '--stage=3:2'],
            ['concurrency', 'stage'],
        ];
        yield 'stage of a rate and pause' => [[$url, '--pause=10', '--stage=3:2/s'], ['pause', 'stage']];
        yield 'a stage without a target' => [[$url, '--stage=30s'], ['stage', "'30s'", 'TIME:TARGET']];
        yield 'a stage in the form of the earlier ramp' => [
            [$url, '--stage=0:100:30s'],
            ['stage', "'0:100:30s'", 'TIME:TARGET'],
        ];
        yield 'stages of two units' => [[$url, '--stage=3:2', '--stage=3:2/s'], ['stage', '3:2/s']];
        yield 'a stage of no time' => [[$url, '--stage=0:2'], ['stage', "'0:2'", '0 s']];
        yield 'a stage of a negative time' => [[$url, '--stage=-1:2'], ['stage', "'-1'", '0.001']];
    }

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
        yield from self::wrongStages($url);
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
        yield 'not a whole user' => [[$url, '--stage=1:0.4'], ['stage', "'0.4'", '1']];
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
            ['example.invalid', '--allow-remote'],
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
            'http://no-such-host.invalid/', '--requests=1', '--allow-remote', '--json', '--no-interaction',
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
