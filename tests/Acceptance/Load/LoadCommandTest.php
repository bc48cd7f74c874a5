<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Core\SystemClock;
use Headroom\Load\Failure;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Process\Ports;
use Headroom\Process\Programs;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * bin/headroom load in a process of its own.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class LoadCommandTest extends LoadCommandTestCase
{
    #[Test]
    public function the_result_is_printed_within_80_columns(): void
    {
        $process = Headroom::load($this->server->url('/ok'), '--requests=50', '--concurrency=5');

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
        $process = Headroom::load($this->server->url('/status/503'), '--requests=7', '--json');
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
        Headroom::load(
            $this->server->url('/ok'),
            '--requests=3',
            '--concurrency=1',
            '--body={"n":{{n}},"r":{{random:5-5}}}',
            '--header=Content-Type: application/json',
            '-H',
            'X-One: two',
        );
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
        $process = Headroom::load($this->server->url('/ok'), '--requests=1', '--method=PUT', "--body-file={$file}");

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertSame(
            ['PUT', 'from a file 0'],
            [$this->server->requests()[0]->method, $this->server->requests()[0]->body],
        );
    }

    #[Test]
    public function errors_are_listed_and_the_exit_code_says_that_nothing_succeeded(): void
    {
        $process = Headroom::load($this->server->url('/close'), '--requests=4');

        self::assertSame(1, $process->getExitCode());
        self::assertMatchesRegularExpression('/^  \w+ errors +4 +100 %$/m', $process->getOutput());
        self::assertMatchesRegularExpression('/^  '.Failure::ClosedUnanswered->label().' +4$/m', $process->getOutput());
        Snapshot::assertPrinted('load', 'connections that are closed', Headroom::withoutCpu($process));
    }

    #[Test]
    public function requests_that_went_out_twice_are_told(): void
    {
        $process = Headroom::load($this->server->url('/second'), '--requests=4', '--concurrency=1');

        self::assertSame(0, $process->getExitCode());
        self::assertMatchesRegularExpression('/^3 /m', $process->getErrorOutput());
        Snapshot::assertPrinted('load', 'requests that went out twice', $process->getErrorOutput());
    }

    #[Test]
    public function a_proxy_of_the_environment_is_not_used(): void
    {
        $proxy = 'http://127.0.0.1:'.Ports::free();
        $process = Headroom::process($this->server->url('/ok'), '--requests=2');
        $process->setEnv(['http_proxy' => $proxy, 'all_proxy' => $proxy, 'no_proxy' => ''])->run();

        self::assertSame(0, $process->getExitCode(), $process->getOutput());
        self::assertCount(2, $this->server->requests());
    }

    #[Test]
    public function a_figure_that_must_not_be_ends_with_3_and_is_told(): void
    {
        $process = Headroom::load(
            $this->server->url('/status/503'),
            '--requests=8',
            '--threshold=http_req_failed<1%',
            '--threshold=requests_per_second>=0',
            '--threshold=errors<9',
            '--json',
        );

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
            Headroom::load($this->server->url('/ok'), '--requests=8', '--threshold=http_req_failed<1%')
                ->getExitCode(),
        );
    }

    #[Test, Group('day-3')]
    public function an_answer_with_another_status_or_without_the_text_is_no_success(): void
    {
        $redirects = self::json(Headroom::load(
            $this->server->url('/redirect'), '--requests=3', '--expect-status=200,302', '--json',
        ));
        $strict = self::json(Headroom::load(
            $this->server->url('/redirect'), '--requests=3', '--expect-status=200', '--json',
        ));
        $text = Headroom::load($this->server->url('/ok'), '--requests=3', '--body=a word', '--expect-body=a word');
        $wrong = Headroom::load($this->server->url('/ok'), '--requests=3', '--expect-body=a word');

        self::assertSame([3, 0], [$redirects['succeeded'], $redirects['http_errors']]);
        self::assertSame([0, 3], [$strict['succeeded'], $strict['http_errors']]);
        self::assertSame(0, $text->getExitCode(), $text->getOutput());
        self::assertSame(1, $wrong->getExitCode());
        self::assertMatchesRegularExpression('/^  \w+ \w+ +3 +100 %$/m', $wrong->getOutput());
        self::assertMatchesRegularExpression('/^  '.Failure::UnexpectedBody->label().' +3$/m', $wrong->getOutput());
    }

    #[Test]
    public function at_a_rate_it_counts_late_and_dropped_requests(): void
    {
        $process = Headroom::load(
            $this->server->url('/hang'), '--rate=20', '--duration=0.5', '--concurrency=2', '--timeout=0.6',
        );

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
        $process = Headroom::load("http://127.0.0.1:{$port}/", '--requests=3', '--json');
        $server->stop();

        self::assertSame(LoadResult::BUILT_IN_SERVER, self::json($process)['server'], $process->getErrorOutput());
        self::assertStringContainsString('php artisan serve', $process->getErrorOutput());
        Snapshot::assertPrinted('load', 'a server for development', $process->getErrorOutput());
        self::assertNull(self::json(Headroom::load($this->server->url('/ok'), '--requests=3', '--json'))['server']);
    }

    #[Test, Group('day-1')]
    public function stages_follow_one_another(): void
    {
        $process = Headroom::load(
            $this->server->url('/ok'), '--stage=0.5:80/s', '--stage=0.25:80/s', '--json',
        );
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
            Headroom::load($this->server->url('/ok'), '--stage=0.3:4', '--stage=0.2:1')->getExitCode(),
        );
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
        $process = Headroom::process($this->server->url('/slow/1000'), '--duration=120', '--concurrency=3', '--json');
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
