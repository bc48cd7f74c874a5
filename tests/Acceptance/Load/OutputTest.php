<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Core\SystemClock;
use Headroom\Load\Failure;
use Headroom\Process\Programs;
use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Process\Process;

/**
 * The files that `load --output` writes, read by those who read them.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class OutputTest extends LoadCommandTestCase
{
    #[Test]
    public function json_in_a_file_is_the_json_that_is_printed(): void
    {
        $process = $this->load('/ok', '--requests=5', '--json', '--output=result.json');
        $printed = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);
        $written = json_decode($this->read('result.json'), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($printed);
        self::assertIsArray($written);

        self::assertSame(
            array_diff_key($printed, ['finished_at' => 0]),
            array_diff_key($written, ['finished_at' => 0]),
        );
        self::assertSame(5, $written['succeeded']);
    }

    #[Test]
    public function each_request_is_a_line_for_jmeter(): void
    {
        $this->load(
            '/status/503?a=1,2&b="c"',
            '--requests=3',
            '--concurrency=1',
            '--body=four',
            '--output=requests.jtl',
        );
        [$header, $first] = $lines = $this->csv('requests.jtl');

        self::assertCount(4, $lines);
        self::assertSame(
            [
                'timeStamp', 'elapsed', 'label', 'responseCode', 'responseMessage', 'threadName', 'dataType',
                'success', 'failureMessage', 'bytes', 'sentBytes', 'grpThreads', 'allThreads', 'URL', 'Latency',
                'IdleTime', 'Connect',
            ],
            $header,
        );
        $row = array_combine($header, $first);
        self::assertSame(
            [
                'POST /status/503?a=1,2&b="c"',
                '503',
                'text',
                'false',
                '10',
                '4',
                '1',
                '1',
                $this->server->url('/status/503?a=1,2&b="c"'),
            ],
            [
                $row['label'],
                $row['responseCode'],
                $row['dataType'],
                $row['success'],
                $row['bytes'],
                $row['sentBytes'],
                $row['grpThreads'],
                $row['allThreads'],
                $row['URL'],
            ],
        );
        // Milliseconds since 1970, of a year that has four digits.
        self::assertMatchesRegularExpression('/^\d{13}$/', $row['timeStamp']);
        self::assertGreaterThanOrEqual((int) $row['Latency'], (int) $row['elapsed']);
    }

    #[Test]
    public function a_failure_is_told_as_jmeter_tells_it(): void
    {
        $this->load('/close', '--requests=2', '--concurrency=2', '--output=closed.jtl');
        $this->load('/ok', '--requests=1', '--expect-body=other', '--output=wrong.jtl');
        $this->load('/slow/80', '--requests=1', '--output=slow.jtl');
        [, $closed] = $this->csv('closed.jtl');
        [, $wrong] = $this->csv('wrong.jtl');
        [, $slow] = $this->csv('slow.jtl');

        [$none, $other] = [Failure::ClosedUnanswered, Failure::UnexpectedBody];
        self::assertSame(
            ["Non HTTP response code: {$none->value}", "Non HTTP response message: {$none->label()}", 'false', ''],
            [$closed[3], $closed[4], $closed[7], $closed[8]],
        );
        self::assertSame(['200', 'false', $other->label()], [$wrong[3], $wrong[7], $wrong[8]]);
        self::assertSame('true', $slow[7]);
        self::assertGreaterThanOrEqual(80, (int) $slow[1]);
        self::assertGreaterThanOrEqual(80, (int) $slow[14]);
    }

    #[Test]
    public function lines_are_there_while_the_run_goes_on(): void
    {
        $process = $this->process('/slow/20', '--duration=60', '--concurrency=1', '--output=requests.jtl');
        $process->start();

        $clock = new SystemClock;

        for ($i = 0; $i < 1_000 && count($this->server->requests()) < 10; $i++) {
            $clock->sleep(10_000);
        }

        $lines = count($this->csv('requests.jtl'));
        $isRunning = $process->isRunning();
        $process->stop(5, 2);

        self::assertTrue($isRunning);
        self::assertGreaterThan(5, $lines);
    }

    #[Test]
    #[Group('proof')]
    public function the_report_opens_without_a_network_on_any_screen_in_light_and_dark(): void
    {
        $this->load(
            '/slow/40?</script><img/src=x>',
            '--duration=1.2',
            '--concurrency=3',
            '--threshold=p(50)<=1',
            '--output=report.html',
        );
        $picture = getenv('HEADROOM_PICTURES');
        $seen = Browser::look('file://'.$this->directory->file('report.html'), [
            ['await' => 'canvas'], ['report' => 'light'],
            ...($picture === false ? [] : [['picture' => "{$picture}/load-light.png"]]),
            ['dark' => true], ['report' => 'dark'],
            ...($picture === false ? [] : [['picture' => "{$picture}/load-dark.png"]]),
        ]);
        $narrow = Browser::look(
            'file://'.$this->directory->file('report.html'),
            [
                ['await' => 'canvas'],
                ['click' => 'summary'],
                ['report' => 'narrow'],
                ...($picture === false ? [] : [['picture' => "{$picture}/load-narrow.png"]]),
            ],
            360,
        );
        ['light' => $light, 'dark' => $dark] = $seen['reports'];

        self::assertSame([[], [], 0], [$seen['errors'], $seen['elsewhere'], $light['foreign']]);
        self::assertSame(
            ['file'],
            array_values(array_unique(array_map(
                static fn (string $url): string => explode(':', $url)[0],
                array_filter($seen['requests'], static fn (string $url): bool => ! str_starts_with($url, 'data:')),
            ))),
        );
        self::assertMatchesRegularExpression('/p\(50\)<=1[^.]*: \D*[\d.]+ ms\b/', $light['text']);
        Snapshot::assertPrinted('load report', 'headings', implode("\n", $light['headings']));
        self::assertSame(['rates', 'times', 'flight', 'percentiles'], array_column($light['charts'], 'name'));
        self::assertNotSame($light['background'], $dark['background']);
        self::assertSame([0, 0], [$light['overflow'], $narrow['reports']['narrow']['overflow']]);

        foreach ([...$light['charts'], ...$dark['charts'], ...$narrow['reports']['narrow']['charts']] as $chart) {
            self::assertGreaterThan(100, $chart['ink'], $chart['name']);
        }

        self::assertLessThan(360, $narrow['reports']['narrow']['charts'][0]['width']);
    }

    #[Test, Group('day-1')]
    public function the_report_has_the_numbers_of_the_run(): void
    {
        $this->load('/status/503', '--requests=30', '--output=report.html', '--output=result.json');
        $report = Browser::look(
            'file://'.$this->directory->file('report.html'),
            [['await' => 'canvas'], ['report' => 'seen']],
        )['reports']['seen'];
        $result = json_decode($this->read('result.json'), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($result);
        self::assertIsArray($result['timeline']);

        self::assertStringContainsString('100 %', $report['text']);
        self::assertTrue(str_contains($this->read('report.html'), 'The Apache Software Foundation'));
        self::assertCount(1, $report['rows']['errors']);
        self::assertStringContainsString('503', $report['rows']['errors'][0][0]);
        self::assertSame(['30', ''], array_slice($report['rows']['errors'][0], 1));
        self::assertCount(count($result['timeline']), $report['rows']['numbers']);
        self::assertSame(
            [30, 0, 30],
            array_map(
                static fn (int $column): int => array_sum(array_map(
                    static fn (array $row): int => (int) $row[$column],
                    $report['rows']['numbers'],
                )),
                [1, 2, 3],
            ),
        );
        self::assertSame(['0', '–'], array_slice($report['rows']['percentiles'][0], 1, 2));
        self::assertSame('30', $report['rows']['percentiles'][1][1]);
    }

    #[Test]
    public function a_file_that_cannot_be_written_is_refused_before_the_run(): void
    {
        foreach (['result.txt', 'no/such/directory/result.json', '.'] as $name) {
            $process = $this->load('/ok', '--requests=1', "--output={$name}");

            self::assertSame(2, $process->getExitCode());
            Sentence::assertNames(['output', "'{$this->directory->file($name)}'"], $process->getErrorOutput());
        }

        self::assertSame(2, $this->load('/ok', '--requests=1', '--output=a.json', '--output=b.json')->getExitCode());
        self::assertSame([], $this->server->requests());
    }

    #[Test]
    public function a_disk_that_is_full_loses_the_file_and_not_the_result(): void
    {
        // Every write to this device fails for want of space.
        symlink('/dev/full', $this->directory->file('full.jtl'));
        symlink('/dev/full', $this->directory->file('full.html'));

        foreach (['full.jtl', 'full.html'] as $name) {
            $process = $this->load('/ok', '--requests=4', "--output={$name}");

            self::assertSame(1, $process->getExitCode());
            Sentence::assertNames([$name], $process->getErrorOutput());
            self::assertMatchesRegularExpression('/^\w+ +4$/m', $process->getOutput());
        }
    }

    #[Test]
    #[TestWith(['--json'])]
    #[TestWith(['--no-ansi'])]
    public function a_report_that_the_disk_does_not_take_is_a_failure(string $option): void
    {
        $load = $this->process('/ok', '--requests=4', $option)->getCommandLine();
        $process = Process::fromShellCommandline("{$load} > /dev/full");
        $process->run();

        self::assertSame(1, $process->getExitCode());
        Sentence::assertNames(['No space left on device'], $process->getErrorOutput());
    }

    #[Test, Group('day-2')]
    #[TestWith([1])]
    #[TestWith([2])]
    public function a_file_that_cannot_be_written_leaves_the_others(int $processes): void
    {
        symlink('/dev/full', $this->directory->file('full.jtl'));
        symlink('/dev/full', $this->directory->file('full.html'));
        $process = $this->load(
            '/ok',
            '--requests=4',
            "--processes={$processes}",
            '--output=full.jtl',
            '--output=full.html',
            '--output=result.json',
        );
        $result = json_decode($this->read('result.json'), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($result);

        self::assertSame([1, 4, []], [$process->getExitCode(), $result['sent'], $result['lost']]);
        self::assertSame(1, substr_count($process->getErrorOutput(), "full.jtl'"));
        self::assertSame(1, substr_count($process->getErrorOutput(), "full.html'"));
    }

    private function load(string $path, string ...$options): Process
    {
        $process = $this->process($path, ...$options);
        $process->run();

        return $process;
    }

    private function process(string $path, string ...$options): Process
    {
        $options = array_map(
            fn (string $option): string
                => (string) preg_replace('/^--output=/', "--output={$this->directory->path}/", $option),
            array_values($options),
        );

        return new Process(
            [Programs::php(), dirname(__DIR__, 3).'/bin/headroom', 'load', $this->server->url($path), ...$options],
            timeout: 60,
        );
    }

    private function read(string $name): string
    {
        return (string) file_get_contents($this->directory->file($name));
    }

    /** @return non-empty-list<list<string>> */
    private function csv(string $name): array
    {
        return array_map(
            static fn (string $line): array => array_map(strval(...), str_getcsv($line, ',', '"', '')),
            explode("\n", trim($this->read($name))),
        );
    }
}
