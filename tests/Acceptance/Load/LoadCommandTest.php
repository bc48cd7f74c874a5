<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Core\SystemClock;
use Headroom\Load\Failure;
use Headroom\Load\LoadResult;
use Headroom\Process\Ports;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * bin/headroom in a process of its own.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class LoadCommandTest extends TestCase
{
    private HttpServer $server;

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->server = HttpServer::start();
        $this->directory = TemporaryDirectory::create('load-command');
    }

    protected function tearDown(): void
    {
        $this->server->stop();
        $this->directory->remove();
    }

    #[Test]
    public function the_result_is_printed_within_80_columns(): void
    {
        $process = $this->headroom([$this->server->url('/ok'), '--requests=50', '--concurrency=5']);

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertMatchesRegularExpression('/^  \w+ +50 +100 %$/m', $process->getOutput());
        self::assertMatchesRegularExpression('/^\w+ +50$/m', $process->getOutput());
        self::assertMatchesRegularExpression('/ p50 +p90 +p95 +p99 +p99.9 /', $process->getOutput());
        self::assertMatchesRegularExpression('/\b5 connections$/m', $process->getOutput());
        Sentence::assertNames([$this->server->url('/ok'), '50', '5', '8.00'], $process->getErrorOutput());
        Snapshot::assertPrinted(
            'load',
            'a run that succeeds',
            $process->getErrorOutput().Headroom::withoutCpu($process),
        );
        self::assertStringNotContainsString("\e", $process->getOutput().$process->getErrorOutput());

        foreach (explode("\n", $process->getOutput()) as $line) {
            self::assertLessThanOrEqual(80, strlen($line));
        }
    }

    #[Test]
    public function json_goes_alone_to_stdout(): void
    {
        $process = $this->headroom([$this->server->url('/status/503'), '--requests=7', '--json']);
        $json = self::json($process);

        self::assertSame(1, $process->getExitCode());
        self::assertSame(
            [$this->server->url('/status/503'), 'GET', 7, 0, 7],
            [$json['url'], $json['method'], $json['sent'], $json['succeeded'], $json['http_errors']],
        );
        self::assertSame(['503' => 7], $json['statuses']);
        self::assertSame(
            [
                'model' => 'closed',
                'requests' => 7,
                'duration_s' => null,
                'concurrency' => 10,
                'timeout_s' => 8.0,
                'error_status' => '4xx,5xx',
                'insecure' => false,
                'pause_s' => 0.0,
                'stages' => null,
                'expect_status' => null,
                'expect_body' => null,
                'processes' => 1,
                'scenario' => null,
                'replay' => null,
                'speed' => null,
            ],
            $json['plan'],
        );
    }

    #[Test]
    public function a_body_template_is_filled_in_for_each_request(): void
    {
        $this->headroom([
            $this->server->url('/ok'),
            '--requests=3',
            '--concurrency=1',
            '--body={"n":{{n}},"r":{{random:5-5}}}',
            '--header=Content-Type: application/json',
            '-H',
            'X-One: two',
        ]);
        $seen = $this->server->requests();

        self::assertSame(
            [['POST', '{"n":0,"r":5}'], ['POST', '{"n":1,"r":5}'], ['POST', '{"n":2,"r":5}']],
            array_map(static fn (SeenRequest $request): array => [$request->method, $request->body], $seen),
        );
        self::assertContains('Content-Type: application/json', $seen[0]->headers);
        self::assertContains('X-One: two', $seen[0]->headers);
    }

    #[Test]
    public function a_body_can_come_from_a_file_and_the_method_can_be_named(): void
    {
        $file = $this->directory->write('body', 'from a file {{n}}');
        $process = $this->headroom([$this->server->url('/ok'), '--requests=1', '--method=PUT', "--body-file={$file}"]);

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertSame(
            ['PUT', 'from a file 0'],
            [$this->server->requests()[0]->method, $this->server->requests()[0]->body],
        );
    }

    #[Test]
    public function errors_are_listed_and_the_exit_code_says_that_nothing_succeeded(): void
    {
        $process = $this->headroom([$this->server->url('/close'), '--requests=4']);

        self::assertSame(1, $process->getExitCode());
        self::assertMatchesRegularExpression('/^  \w+ errors +4 +100 %$/m', $process->getOutput());
        self::assertMatchesRegularExpression('/^  '.Failure::ClosedUnanswered->words().' +4$/m', $process->getOutput());
        Snapshot::assertPrinted('load', 'connections that are closed', Headroom::withoutCpu($process));
    }

    #[Test]
    public function requests_that_went_out_twice_are_told(): void
    {
        $process = $this->headroom([$this->server->url('/second'), '--requests=4', '--concurrency=1']);

        self::assertSame(0, $process->getExitCode());
        self::assertMatchesRegularExpression('/^3 /m', $process->getErrorOutput());
        Snapshot::assertPrinted('load', 'requests that went out twice', $process->getErrorOutput());
    }

    #[Test]
    public function a_proxy_of_the_environment_is_not_used(): void
    {
        $proxy = 'http://127.0.0.1:'.Ports::free();
        $process = $this->headroom(
            [$this->server->url('/ok'), '--requests=2'],
            ['http_proxy' => $proxy, 'all_proxy' => $proxy, 'no_proxy' => ''],
        );

        self::assertSame(0, $process->getExitCode(), $process->getOutput());
        self::assertCount(2, $this->server->requests());
    }

    #[Test]
    public function a_figure_that_must_not_be_ends_with_3_and_is_told(): void
    {
        $process = $this->headroom([
            $this->server->url('/status/503'),
            '--requests=8',
            '--threshold=http_req_failed<1%',
            '--threshold=requests_per_second>=0',
            '--threshold=errors<9',
            '--json',
        ]);

        self::assertSame(3, $process->getExitCode(), $process->getErrorOutput());
        Sentence::assertNames(['http_req_failed<1%', '100 %'], $process->getErrorOutput());
        Snapshot::assertPrinted('load', 'a threshold that is broken', $process->getErrorOutput());
        self::assertStringNotContainsString('requests_per_second', $process->getErrorOutput());
        self::assertSame(
            [
                ['threshold' => 'http_req_failed<1%', 'seen' => 1.0, 'crossed' => true],
                false,
                ['threshold' => 'errors<9', 'seen' => 8.0, 'crossed' => false],
            ],
            [
                ...array_slice(self::thresholds($process), 0, 1),
                self::thresholds($process)[1]['crossed'] ?? null,
                self::thresholds($process)[2] ?? null,
            ],
        );
        self::assertSame(
            0,
            $this->headroom([$this->server->url('/ok'), '--requests=8', '--threshold=http_req_failed<1%'])
                ->getExitCode(),
        );
    }

    #[Test, Group('day-3')]
    public function an_answer_with_another_status_or_without_the_text_is_no_success(): void
    {
        $redirects = self::json($this->headroom([
            $this->server->url('/redirect'), '--requests=3', '--expect-status=200,302', '--json',
        ]));
        $strict = self::json($this->headroom([
            $this->server->url('/redirect'), '--requests=3', '--expect-status=200', '--json',
        ]));
        $text = $this->headroom([$this->server->url('/ok'), '--requests=3', '--body=a word', '--expect-body=a word']);
        $wrong = $this->headroom([$this->server->url('/ok'), '--requests=3', '--expect-body=a word']);

        self::assertSame([3, 0], [$redirects['succeeded'], $redirects['http_errors']]);
        self::assertSame([0, 3], [$strict['succeeded'], $strict['http_errors']]);
        self::assertSame(0, $text->getExitCode(), $text->getOutput());
        self::assertSame(1, $wrong->getExitCode());
        self::assertMatchesRegularExpression('/^  \w+ \w+ +3 +100 %$/m', $wrong->getOutput());
        self::assertMatchesRegularExpression('/^  '.Failure::UnexpectedBody->words().' +3$/m', $wrong->getOutput());
    }

    #[Test]
    public function at_a_rate_it_counts_late_and_dropped_requests(): void
    {
        $process = $this->headroom([
            $this->server->url('/hang'), '--rate=20', '--duration=0.5', '--concurrency=2', '--timeout=0.6',
        ]);

        self::assertSame(1, $process->getExitCode(), $process->getErrorOutput());
        Sentence::assertNames(['0.500 s', '20', '2'], $process->getErrorOutput());
        self::assertMatchesRegularExpression('/\b[0-2] \D+ 10 ms \D+ 8 /', $process->getOutput());
        self::assertMatchesRegularExpression('/\b8 \D+ 2 .*--concurrency/', $process->getErrorOutput());
        Snapshot::assertPrinted(
            'load',
            'a rate that is not reached',
            (string) preg_replace('/\brequests? began/', 'requests began', $process->getErrorOutput()),
        );
    }

    #[Test]
    public function phps_built_in_server_is_told(): void
    {
        $this->directory->write('index.php', '<?php echo "hello";');
        $port = Ports::free();
        $server = new Process([Programs::php(), '-S', "127.0.0.1:{$port}", '-t', $this->directory->path]);
        $server->start();
        $this->await(static fn (): bool => Ports::accepts($port));
        $process = $this->headroom(["http://127.0.0.1:{$port}/", '--requests=3', '--json']);
        $server->stop();

        self::assertSame(LoadResult::BUILT_IN_SERVER, self::json($process)['server'], $process->getErrorOutput());
        self::assertStringContainsString('php artisan serve', $process->getErrorOutput());
        Snapshot::assertPrinted('load', 'a server for development', $process->getErrorOutput());
        self::assertNull(self::json($this->headroom([$this->server->url('/ok'), '--requests=3', '--json']))['server']);
    }

    #[Test, Group('day-1')]
    public function ramps_follow_one_another(): void
    {
        $process = $this->headroom([
            $this->server->url('/ok'), '--ramp=0/s:80/s:0.5', '--ramp=80/s:80/s:0.25', '--json',
        ]);
        $json = self::json($process);

        self::assertSame([40, 40], [$json['sent'], $json['succeeded']]);
        self::assertIsArray($json['plan']);
        self::assertSame(
            [
                'open',
                [['from' => 0.0, 'to' => 80.0, 'seconds' => 0.5], ['from' => 80.0, 'to' => 80.0, 'seconds' => 0.25]],
            ],
            [$json['plan']['model'], $json['plan']['stages']],
        );
        self::assertSame(
            0,
            $this->headroom([$this->server->url('/ok'), '--ramp=0:4:0.3', '--ramp=4:1:0.2'])->getExitCode(),
        );
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
        yield 'no requests in it' => [[$url, '--replay='.__FILE__], ['LoadCommandTest.php', 'GET', 'HEAD']];
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
        $process = $this->headroom($arguments);

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
        $process = $this->headroom([
            'http://no-such-host.invalid/', '--requests=1', '--i-own-this-host', '--json', '--no-interaction',
        ]);

        self::assertSame(4, $process->getExitCode(), $process->getErrorOutput());
    }

    #[Test]
    public function it_needs_no_extension_that_php_comes_without(): void
    {
        $process = new Process([
            Programs::php(),
            '-n',
            dirname(__DIR__, 3).'/bin/headroom',
            'load',
            $this->server->url('/ok'),
            '--requests=20',
        ]);

        self::assertSame(0, $process->run(), $process->getErrorOutput());
        self::assertCount(20, $this->server->requests());
    }

    #[Test]
    public function more_users_than_open_files_are_refused_before_the_run(): void
    {
        $process = new Process([
            '/bin/sh',
            '-c',
            'ulimit -n 64 && exec "$@"',
            'sh',
            Programs::php(),
            dirname(__DIR__, 3).'/bin/headroom',
            'load',
            $this->server->url('/ok'),
            '--concurrency=100',
        ]);

        self::assertSame(2, $process->run(), $process->getErrorOutput());
        self::assertStringContainsString('ulimit -n 140', $process->getErrorOutput());
        self::assertSame([], $this->server->requests());
    }

    /** @return iterable<string, array{int}> */
    public static function signals(): iterable
    {
        yield 'SIGINT' => [2];
        yield 'SIGTERM' => [15];
    }

    #[Test, Group('day-3')]
    #[DataProvider('signals')]
    #[RequiresPhpExtension('pcntl')]
    public function a_signal_ends_the_run_early_and_the_result_is_printed(int $signal): void
    {
        $process = $this->process(
            [$this->server->url('/slow/1000'), '--duration=120', '--concurrency=3', '--json'],
            [],
        );
        $process->start();
        // The second three have just begun, and no answer is near.
        $this->await(fn (): bool => count($this->server->requests()) >= 6);
        $process->signal($signal);
        $process->wait();
        $json = self::json($process);

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertTrue($json['stopped_early']);
        self::assertSame(3, $json['unfinished']);
        self::assertGreaterThanOrEqual(3, $json['succeeded']);
        self::assertSame($json['sent'], (is_int($json['succeeded']) ? $json['succeeded'] : 0) + 3);
    }

    #[Test]
    public function it_works_through_a_projects_vendor_bin(): void
    {
        $root = dirname(__DIR__, 3);
        $proxy = $this->directory->write(
            'headroom',
            '<?php $GLOBALS["_composer_autoload_path"] = '.var_export("{$root}/vendor/autoload.php", true).'; include '
                .var_export("{$root}/bin/headroom", true).';',
        );
        $process = new Process([Programs::php(), $proxy, 'list', '--raw']);

        self::assertSame(0, $process->run(), $process->getErrorOutput());
        self::assertMatchesRegularExpression('/^load /m', $process->getOutput());
    }

    /**
     * @param list<string> $arguments
     * @param array<string, string> $env
     */
    private function headroom(array $arguments, array $env = []): Process
    {
        $process = $this->process($arguments, $env);
        $process->run();

        return $process;
    }

    /**
     * @param list<string> $arguments
     * @param array<string, string> $env
     */
    private function process(array $arguments, array $env): Process
    {
        return new Process(
            [Programs::php(), dirname(__DIR__, 3).'/bin/headroom', 'load', ...$arguments],
            null,
            $env,
            null,
            60,
        );
    }

    /** @param callable(): bool $condition */
    private function await(callable $condition): void
    {
        $clock = new SystemClock;

        for ($i = 0; $i < 3_000; $i++) {
            if ($condition()) {
                return;
            }

            $clock->sleep(10_000);
        }

        self::fail('It did not happen within 30 seconds.');
    }

    /** @return list<array<mixed>> */
    private static function thresholds(Process $process): array
    {
        $thresholds = self::json($process)['thresholds'];

        return is_array($thresholds) ? array_values(array_filter($thresholds, is_array(...))) : [];
    }

    /** @return array<string, mixed> */
    private static function json(Process $process): array
    {
        $json = json_decode($process->getOutput(), true);
        self::assertIsArray($json, $process->getOutput().$process->getErrorOutput());
        $keyed = [];

        foreach ($json as $key => $value) {
            $keyed[(string) $key] = $value;
        }

        return $keyed;
    }
}
