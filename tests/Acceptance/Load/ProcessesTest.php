<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Core\SystemClock;
use Headroom\Load\Metrics\ProcessCpuTime;
use Headroom\Load\Metrics\Progress;
use Headroom\Load\Plan;
use Headroom\Load\UnableToLoad;
use Headroom\Load\Workers\WorkerPool;
use Headroom\Process\Programs;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * One run that several processes do together.
 */
#[RequiresPhpExtension('posix')]
final class ProcessesTest extends LoadCommandTestCase
{
    /** @return iterable<string, array{list<string>, int}> */
    public static function plans(): iterable
    {
        yield 'requests' => [['--requests=101', '--concurrency=7'], 101];
        yield 'fewer requests than processes' => [['--requests=2'], 2];
        yield 'a rate' => [['--rate=101', '--duration=1'], 101];
        yield 'a rate that grows' => [['--stage=1:75/s'], 38];
    }

    /** @param list<string> $plan */
    #[Test, Group('day-1')]
    #[DataProvider('plans')]
    public function processes_together_send_as_many_requests_as_one(array $plan, int $requests): void
    {
        $result = Headroom::result(
            $process = Headroom::load($this->server->url('/ok'), '--processes=3', '--json', ...$plan),
        );

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertSame(
            [$requests, $requests, 3, []],
            [$result->at('sent'), $result->at('succeeded'), $result->at('plan.processes'), $result->at('lost')],
        );
        self::assertCount($requests, $this->server->requests());
        self::assertSame(
            [$requests, $requests],
            [$result->at('latency_us.succeeded.count'), $result->at('statuses.200')],
        );
        self::assertSame([$requests, $requests], [$result->sum('sent'), $result->sum('succeeded')]);
    }

    #[Test, Group('day-3')]
    public function numbers_in_bodies_are_given_once(): void
    {
        Headroom::load($this->server->url('/ok'), '--processes=3', '--requests=50', '--body={{n}}');
        $numbers = array_map(static fn (SeenRequest $request): int => (int) $request->body, $this->server->requests());
        sort($numbers);

        self::assertSame(range(0, 49), $numbers);
    }

    #[Test, Group('day-2')]
    public function users_are_as_many_as_were_asked_for(): void
    {
        Headroom::load($this->server->url('/slow/100'), '--processes=2', '--requests=50', '--concurrency=5');

        // The others that wait when a request comes.
        self::assertSame(
            4,
            max(0, ...array_map(static fn (SeenRequest $request): int => $request->waiting, $this->server->requests())),
        );
    }

    #[Test]
    public function too_few_open_files_are_told_before_anything_is_sent(): void
    {
        $process = new Process(
            [
                '/bin/sh',
                '-c',
                'ulimit -n 100 && exec "$@"',
                'sh',
                Programs::php(),
                dirname(__DIR__, 3).'/bin/headroom',
                'load',
                $this->server->url('/ok'),
                '--processes=2',
                '--concurrency=400',
            ],
            timeout: 60,
        );
        $process->run();

        self::assertSame([2, ''], [$process->getExitCode(), $process->getOutput()]);
        self::assertStringContainsString(
            UnableToLoad::tooFewFiles(200, 240, 100)->getMessage(),
            (string) preg_replace('/\s+/', ' ', $process->getErrorOutput()),
        );
        self::assertSame([], $this->server->requests());
    }

    #[Test, Group('day-3')]
    public function each_request_has_its_line_in_one_file(): void
    {
        $process = Headroom::load(
            $this->server->url('/ok'),
            '--processes=2',
            '--requests=301',
            "--output={$this->directory->file('all.jtl')}",
        );
        $lines = explode("\n", trim((string) file_get_contents($this->directory->file('all.jtl'))));

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertStringStartsWith('timeStamp,', $lines[0]);
        self::assertCount(302, $lines);
        self::assertSame(
            [151, 150],
            array_map(
                static fn (string $thread): int => substr_count(implode("\n", $lines), ",\"{$thread}\","),
                ['load 1-1', 'load 2-1'],
            ),
        );
    }

    #[Test, Group('day-2')]
    #[RequiresPhpExtension('pcntl')]
    public function one_that_dies_is_told_and_the_result_is_incomplete(): void
    {
        $process = $this->twoProcesses('--json');
        $children = self::childrenOf($process);
        self::assertCount(2, $children);
        posix_kill((int) $children[1], 9);
        $before = count($this->server->requests());
        // The other one goes on.
        $this->await(fn (): bool => count($this->server->requests()) >= $before + 20);
        $process->signal(2);
        $process->wait();
        $result = Headroom::result($process);

        self::assertSame(1, $process->getExitCode());
        $lost = $result->list('lost');
        self::assertSame([1, true], [count($lost), is_string($lost[0])]);
        Sentence::assertNames(['2', '9'], implode(' ', array_filter($lost, is_string(...))));
        self::assertStringContainsString(
            implode(' ', array_filter($lost, is_string(...))).'. ',
            $process->getErrorOutput(),
        );
        self::assertGreaterThan(20, $result->number('succeeded'));
    }

    #[Test, Group('day-3')]
    #[RequiresPhpExtension('pcntl')]
    public function a_signal_ends_all_processes_and_their_results_are_reported(): void
    {
        $process = $this->twoProcesses('--json');
        $process->signal(2);
        $process->wait();
        $result = Headroom::result($process);

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertSame([true, []], [$result->at('stopped_early'), $result->at('lost')]);
        self::assertSame($result->number('sent'), $result->number('succeeded') + $result->number('unfinished'));
        // What was in flight in the end may be read after this client is gone.
        $this->await(fn (): bool => count($this->server->requests()) >= $result->number('sent'));
        self::assertCount((int) $result->number('sent'), $this->server->requests());
    }

    #[Test, Group('day-3')]
    #[RequiresPhpExtension('pcntl')]
    public function a_second_signal_does_not_wait_for_one_that_does_not_answer(): void
    {
        $process = $this->twoProcesses('--json');
        $children = self::childrenOf($process);
        posix_kill((int) $children[0], 19);
        $process->signal(2);
        // The other one ends when it hears of it.
        $this->await(static fn (): bool => @file_get_contents("/proc/{$children[1]}/stat") === false);
        self::assertTrue($process->isRunning());
        $process->signal(2);
        $process->wait();

        $lost = Headroom::result($process)->list('lost');
        self::assertSame([1, 1], [$process->getExitCode(), count($lost)]);
        Sentence::assertNames(['1', '9'], implode(' ', array_filter($lost, is_string(...))));
    }

    #[Test]
    public function a_signal_ends_those_that_are_not_ready_and_nothing_is_sent(): void
    {
        $pool = new WorkerPool(['sleep', '30'], new SystemClock);
        $pool->stop();

        try {
            $pool->run(Plan::requests(2, 2), [[], []], null);
            self::fail('None of them ever began.');
        } catch (UnableToLoad $e) {
            self::assertEquals(UnableToLoad::stoppedBefore(), $e);
        }
    }

    #[Test]
    public function a_job_that_is_not_read_keeps_no_signal_from_being_heard(): void
    {
        $pool = new WorkerPool(['sleep', '30'], $clock = new SystemClock);
        $pool->stop();
        $began = $clock->monotonicNanos();

        try {
            // More than a pipe takes.
            $pool->run(Plan::requests(2, 2), [str_repeat('x', 1_000_000), []], null);
            self::fail('None of them ever began.');
        } catch (UnableToLoad) {
            self::assertLessThan(30.0, ($clock->monotonicNanos() - $began) / 1e9);
        }
    }

    #[Test, Group('day-2')]
    public function a_job_that_is_larger_than_a_pipe_arrives_whole(): void
    {
        Headroom::load(
            $this->server->url('/ok'),
            '--processes=2',
            '--requests=4',
            '--body='.str_repeat('0123456789', 10_000),
        );

        self::assertSame(
            array_fill(0, 4, '100000'),
            array_map(static fn (SeenRequest $request): string => $request->body, $this->server->requests()),
        );
    }

    #[Test]
    public function one_that_says_no_more_and_goes_on_is_waited_for_at_rest(): void
    {
        $cpu = new ProcessCpuTime;
        $before = $cpu->micros();

        try {
            (new WorkerPool(
                ['sh', '-c', 'exec 4>&-; sleep 2'],
                new SystemClock,
            ))->run(Plan::requests(1, 1), [[]], null);
            self::fail('It never began.');
        } catch (UnableToLoad $e) {
            Sentence::assertNames(['1', '0'], $e->getMessage());
        }

        self::assertLessThan(500_000, $cpu->micros() - $before);
    }

    /** The first has done its share after a second; the other goes on until three have passed. */
    #[Test]
    public function requests_of_a_process_that_has_ended_stay_in_the_progress(): void
    {
        $shares = [['/slow/100', '--requests', '10'], ['/slow/400', '--duration', '3']];
        $jobs = array_map(
            fn (array $share): array => [
                'index' => 0,
                'processes' => 1,
                'input' => array_map(
                    base64_encode(...),
                    ['url' => $this->server->url($share[0]), $share[1] => $share[2], '--concurrency' => '1'],
                ),
            ],
            $shares,
        );
        $seen = new SeenProgress;
        (new WorkerPool(
            [Programs::php(), dirname(__DIR__, 3).'/bin/headroom', 'load:worker'],
            new SystemClock,
        ))->run(Plan::duration(3.0, concurrency: 2), $jobs, $seen);
        $succeeded = array_map(static fn (Progress $progress): int => $progress->succeeded, $seen->all);
        $sorted = $succeeded;
        sort($sorted);

        self::assertSame($sorted, $succeeded);
        self::assertGreaterThanOrEqual(11, max([0, ...$succeeded]));
        // Nobody of the first is in flight any more.
        self::assertLessThanOrEqual(
            1,
            ($seen->all[count($seen->all) - 1] ?? self::fail('Nothing was shown.'))->inFlight,
        );
    }

    /** A log of rubbish is read to its end, in search of a request: as long as it is, somebody may want to end that. */
    #[Test, Group('day-2')]
    #[RequiresPhpExtension('pcntl')]
    public function a_signal_before_the_first_request_ends_it_at_once(): void
    {
        $log = $this->directory->write('rubbish.log', str_repeat("this is no line of an access log\n", 2_000_000));
        $process = Headroom::process($this->server->url(''), "--replay={$log}", '--processes=2');
        $process->start();
        $this->await(static fn (): bool => in_array(
            $log,
            array_map(
                static fn (string $file): string => (string) @readlink($file),
                array_filter((array) glob("/proc/{$process->getPid()}/fd/*"), is_string(...)),
            ),
            true,
        ));
        $process->signal(2);
        $process->wait();

        self::assertSame([130, '', ''], [$process->getExitCode(), $process->getOutput(), $process->getErrorOutput()]);
        self::assertSame([], $this->server->requests());
    }

    #[Test]
    public function none_goes_on_when_the_one_that_started_them_is_gone(): void
    {
        $process = $this->twoProcesses();
        $children = self::childrenOf($process);
        $process->signal(9);
        $process->wait();

        $this->await(static fn (): bool => array_filter(
            $children,
            static fn (string $child): bool
                => preg_match('/\) [^Z] /', (string) @file_get_contents("/proc/{$child}/stat")) === 1,
        ) === []);
        self::assertCount(2, $children);
    }

    /** A run of two processes whose first requests have arrived. */
    private function twoProcesses(string ...$options): Process
    {
        $process = Headroom::process(
            $this->server->url('/slow/20'),
            '--processes=2',
            '--concurrency=4',
            '--duration=120',
            ...array_values($options),
        );
        $process->start();
        $this->await(fn (): bool => count($this->server->requests()) >= 20);

        return $process;
    }

    /** @return list<string> process ids */
    private static function childrenOf(Process $process): array
    {
        $pid = $process->getPid();

        return explode(' ', trim((string) file_get_contents("/proc/{$pid}/task/{$pid}/children")));
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
}
