<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Console\Standalone\Bootstrap;
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
 * Options under the names that people know from other tools, and the help that lists them.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class LoadHelpTest extends TestCase
{
    #[Test]
    public function help_has_each_option_once_in_its_group_and_examples_at_the_end(): void
    {
        $help = $this->help('load', '--help');

        foreach ((new Bootstrap)->application()->find('load')->getNativeDefinition()->getOptions() as $option) {
            $shortcut = $option->getShortcut() === null ? '    ' : "-{$option->getShortcut()}, ";
            self::assertSame(
                1,
                preg_match_all("/^    {$shortcut}--{$option->getName()}(?:=[A-Z:]+)? {2,}\S/m", $help),
                $option->getName(),
            );
        }

        self::assertSame($help, $this->help('help', 'load'));
        self::assertGreaterThan(strpos($help, '--json'), strpos($help, '-c 50 -d 30s'));
        Snapshot::assertPrinted('load', 'help', $help);
    }

    /** @return iterable<string, array{list<string>, array<string, mixed>}> options, and what the plan says */
    public static function names(): iterable
    {
        yield 'as ab and hey have it' => [['-n', '3', '-c', '2'], ['plan.requests' => 3, 'plan.concurrency' => 2]];
        yield 'in one word' => [['-n3', '-c2'], ['plan.requests' => 3, 'plan.concurrency' => 2]];
        yield 'as oha has it' => [['--requests', '3'], ['plan.requests' => 3]];
        yield 'as k6 and wrk have it' => [
            ['-d', '300ms', '-m', 'PUT', '-H', 'X-One: two'],
            ['plan.duration_s' => 0.3, 'method' => 'PUT'],
        ];
        yield 'as vegeta has it' => [
            ['--rate', '1200/m', '--duration', '0m0.2s'],
            ['plan.stages.0.to' => 20.0, 'plan.duration_s' => 0.2],
        ];
        yield 'with a timeout' => [
            ['-n', '1', '--timeout', '1m30s', '--pause', '2ms'],
            ['plan.timeout_s' => 90.0, 'plan.pause_s' => 0.002],
        ];
        yield 'with a pause without a unit' => [['-n', '1', '--pause', '5'], ['plan.pause_s' => 0.005]];
        yield 'a stage with a unit' => [['--stage=200ms:2'], ['plan.stages.0.seconds' => 0.2]];
        yield 'without interaction' => [['-n', '1', '--no-interaction'], ['plan.requests' => 1]];
    }

    /**
     * @param list<string> $options
     * @param array<string, mixed> $plan
     */
    #[Test, Group('day-1')]
    #[DataProvider('names')]
    public function options_have_the_names_and_units_people_know(array $options, array $plan): void
    {
        $server = HttpServer::start();

        try {
            $result = Headroom::result(Headroom::load($server->url('/ok'), ...[...$options, '--json']));
        } finally {
            $server->stop();
        }

        self::assertSame($plan, array_combine(array_keys($plan), array_map($result->at(...), array_keys($plan))));
    }

    /** @return iterable<string, array{string, int, string}> list, status of all answers, and what they count as */
    public static function statuses(): iterable
    {
        yield 'one' => ['404', 404, 'http_errors'];
        yield 'another' => ['404', 500, 'succeeded'];
        yield 'a class' => ['5xx', 503, 'http_errors'];
        yield 'not of the class' => ['5xx', 499, 'succeeded'];
        yield 'a range' => ['500-503, 4XX', 503, 'http_errors'];
        yield 'behind the range' => ['500-503,4xx', 504, 'succeeded'];
        yield 'none' => ['none', 500, 'succeeded'];
        yield 'a success' => ['2xx', 200, 'http_errors'];
    }

    #[Test, Group('day-2')]
    #[DataProvider('statuses')]
    public function error_statuses_are_those_of_the_list(string $list, int $status, string $outcome): void
    {
        $server = HttpServer::start();

        try {
            $result = Headroom::result(
                Headroom::load($server->url("/status/{$status}"), '-n', '2', "--error-status={$list}", '--json'),
            );
        } finally {
            $server->stop();
        }

        self::assertSame([2, $list], [$result->at($outcome), $result->at('plan.error_status')]);
    }

    /** @return iterable<string, array{string, string}> option, and what it is not */
    public static function wrongValues(): iterable
    {
        yield 'units in the wrong order' => ['duration', '30s1m'];
        yield 'an unknown unit' => ['duration', '3d'];
        yield 'a unit without a number' => ['timeout', 's'];
        yield 'a rate per day' => ['rate', '100/d'];
        yield 'a range from above' => ['error-status', '500-400'];
        yield 'a status beyond all' => ['error-status', '600'];
        yield 'half a class' => ['error-status', '50x'];
        yield 'an empty list' => ['error-status', ''];
        yield 'a file as curl names one' => ['body', '@/etc/passwd'];
    }

    #[Test]
    #[DataProvider('wrongValues')]
    public function a_value_that_is_none_is_wrong_usage(string $option, string $value): void
    {
        $process = Headroom::load('http://127.0.0.1:1/', "--{$option}={$value}");

        self::assertSame([2, ''], [$process->getExitCode(), $process->getOutput()], $process->getErrorOutput());
        Sentence::assertNames([$option, "'{$value}'"], $process->getErrorOutput());
    }

    /**
     * @return iterable<string, array{list<string>, string}> what other tools call it, and the option that does the same
     */
    public static function foreignNames(): iterable
    {
        yield 'earlier versions' => [['--samples=3'], '--requests'];
        yield 'earlier conditions' => [['--fail-if=p95>200ms'], '--threshold'];
        yield 'earlier statuses' => [['--fail-from=500'], '--error-status'];
        yield 'wrk' => [['-t4', '-c10', '-d1s'], '--processes'];
        yield 'wrk2' => [['-R', '100'], '--rate'];
        yield 'k6' => [['--vus', '3'], '--concurrency'];
        yield 'k6, of iterations' => [['--iterations=3'], '--requests'];
        yield 'hey' => [['-z', '10s'], '--duration'];
        yield 'curl' => [['-X', 'POST'], '--method'];
        yield 'curl, of a body' => [['--data', 'a=1'], '--body'];
        yield 'a letter too many' => [['--thresholds=p95<1s'], '--threshold'];
        yield 'a letter too few' => [['--concurency=3'], '--concurrency'];
        yield 'its beginning' => [['--allow'], '--allow-remote'];
        yield 'an earlier permission' => [['--i-own-this-host'], '--allow-remote'];
        yield 'earlier stages' => [['--ramp=0:10:30s'], '--stage'];
        yield 'no tool' => [['--zzz'], '--help'];
    }

    /** @param list<string> $options */
    #[Test, Group('day-2')]
    #[DataProvider('foreignNames')]
    public function an_option_of_another_tool_is_refused_with_the_one_that_does_it(array $options, string $ours): void
    {
        foreach ([[], ['--quiet']] as $more) {
            $process = Headroom::load('http://127.0.0.1:1/', ...$options, ...$more);

            self::assertSame([2, ''], [$process->getExitCode(), $process->getOutput()]);
            self::assertMatchesRegularExpression('/'.preg_quote($ours, '/').'(?![\w-])/', $process->getErrorOutput());
        }
    }

    #[Test]
    public function quiet_keeps_back_the_result_and_not_the_errors(): void
    {
        $server = HttpServer::start();

        try {
            $crossed = Headroom::load($server->url('/ok'), '-q', '--requests=3', '--threshold=errors>0');
        } finally {
            $server->stop();
        }

        $refused = Headroom::load('http://127.0.0.1:1/', '--quiet', '--requests=none');

        self::assertSame([3, ''], [$crossed->getExitCode(), $crossed->getOutput()]);
        self::assertSame([2, ''], [$refused->getExitCode(), $refused->getOutput()]);
        Sentence::assertNames(['errors>0', '0'], $crossed->getErrorOutput());
        Sentence::assertNames(['requests', "'none'"], $refused->getErrorOutput());
    }

    #[Test]
    public function a_run_of_errors_that_crosses_no_threshold_asks_for_one_about_errors(): void
    {
        $server = HttpServer::start();

        try {
            $hidden = Headroom::load($server->url('/status/503'), '-n', '4', '--threshold=p(95)<60s');
            $told = Headroom::load(
                $server->url('/status/503'),
                '-n',
                '4',
                '--threshold=p(95)<60s',
                '--threshold=errors<9',
            );
            $well = Headroom::load($server->url('/ok'), '-n', '4', '--threshold=p(95)<60s');
        } finally {
            $server->stop();
        }

        self::assertSame([1, 1, 0], [$hidden->getExitCode(), $told->getExitCode(), $well->getExitCode()]);
        self::assertStringContainsString('http_req_failed', $hidden->getErrorOutput());
        self::assertStringNotContainsString('http_req_failed', $told->getErrorOutput().$well->getErrorOutput());
    }

    private function help(string ...$arguments): string
    {
        $process = new Process([Programs::php(), dirname(__DIR__, 3).'/bin/headroom', ...array_values($arguments)]);
        self::assertSame(0, $process->run(), $process->getErrorOutput());

        return $process->getOutput();
    }
}
