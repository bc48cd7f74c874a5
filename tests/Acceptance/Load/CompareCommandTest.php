<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Host\Programs;
use Headroom\Host\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * `compare` of results that load wrote, and of results whose figures are as the test wants them.
 */
#[RequiresPhpExtension('posix')]
final class CompareCommandTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('compare');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function a_slower_server_is_worse_and_the_other_way_round_better(): void
    {
        $server = HttpServer::start();

        try {
            foreach (['fast' => '/slow/20', 'slow' => '/slow/300', 'broken' => '/status/503'] as $name => $path) {
                $this->headroom('load', $server->url($path), '--duration=2', '--concurrency=4', "--output={$this->directory->file("{$name}.json")}");
            }
        } finally {
            $server->stop();
        }

        $worse = $this->compare('fast.json', 'slow.json');
        $better = $this->compare('slow.json', 'fast.json');
        $broken = $this->compare('fast.json', 'broken.json');

        self::assertSame([1, 0, 1], [$worse->getExitCode(), $better->getExitCode(), $broken->getExitCode()], $worse->getOutput().$worse->getErrorOutput());
        self::assertMatchesRegularExpression('/^p50 \(ms\) .* worse$/m', $worse->getOutput());
        // The rate of a run that stood still for a moment is all over the place.
        self::assertMatchesRegularExpression('/^requests per second .* (worse|no difference seen)$/m', $worse->getOutput());
        self::assertMatchesRegularExpression('/^error rate +0 % +0 % .* no difference seen$/m', $worse->getOutput());
        self::assertMatchesRegularExpression('/^p50 \(ms\) .* better$/m', $better->getOutput());
        self::assertMatchesRegularExpression('/^error rate +0 % +100 % .* worse$/m', $broken->getOutput());
        self::assertStringContainsString('The comparison is not fair: url was ', $worse->getErrorOutput());

        foreach (explode("\n", $worse->getOutput()) as $line) {
            self::assertLessThanOrEqual(80, strlen($line));
        }
    }

    #[Test]
    public function a_difference_within_the_spread_of_the_runs_is_none(): void
    {
        // Slots of 10 to 40 ms in both: what they have in common hides 5 ms more.
        $this->write('before.json', p50: 20_000, slots: [10_000, 20_000, 30_000, 40_000]);
        $this->write('after.json', p50: 25_000, slots: [10_000, 20_000, 30_000, 40_000]);
        $this->write('steady.json', p50: 25_000, slots: [25_000, 25_000, 25_000, 25_000]);
        $this->write('steady-before.json', p50: 20_000, slots: [20_000, 20_001, 20_000, 20_000]);

        self::assertSame('no difference seen', $this->verdict('before.json', 'after.json'));
        self::assertSame('no difference seen', $this->verdict('before.json', 'steady.json'));
        self::assertSame('worse', $this->verdict('steady-before.json', 'steady.json'));
        self::assertSame([0, 1], [$this->compare('before.json', 'after.json')->getExitCode(), $this->compare('steady-before.json', 'steady.json')->getExitCode()]);
    }

    #[Test]
    public function the_tolerance_decides_how_much_worse_is_too_much(): void
    {
        $this->write('before.json', p50: 20_000, slots: [20_000, 20_000, 20_000, 20_000]);
        $this->write('after.json', p50: 21_000, slots: [21_000, 21_000, 21_000, 21_000]);

        self::assertSame(1, $this->compare('before.json', 'after.json', '--tolerance=4.9')->getExitCode());
        self::assertSame(0, $this->compare('before.json', 'after.json', '--tolerance=5.1')->getExitCode());
        self::assertSame('worse', $this->verdict('before.json', 'after.json', '--tolerance=5.1'));
    }

    #[Test]
    public function runs_that_are_too_short_or_doubtful_or_of_other_plans_are_told(): void
    {
        $this->write('before.json', p50: 20_000, slots: [20_000, 20_000, 20_000]);
        $this->write('after.json', p50: 21_000, slots: [21_000], more: ['stopped_early' => true, 'lost' => ['Process 2 was ended by signal 9'], 'client' => ['limited' => true], 'plan' => ['concurrency' => 50, 'samples' => null]]);
        $errors = $this->compare('before.json', 'after.json')->getErrorOutput();

        self::assertStringContainsString('every difference may be chance', $errors);
        self::assertStringContainsString('The run after was stopped before its end.', $errors);
        self::assertStringContainsString('The run after lost a process, and its figures are incomplete.', $errors);
        self::assertStringContainsString('The run after shows the limit of its client.', $errors);
        self::assertStringContainsString('The comparison is not fair: concurrency was 10 before and is 50 now.', $errors);
        self::assertStringNotContainsString('url', $errors);
    }

    #[Test]
    public function json_has_the_figures_and_whether_they_are_worse(): void
    {
        $this->write('before.json', p50: 20_000, slots: [20_000, 20_000, 20_000, 20_000]);
        $this->write('after.json', p50: 30_000, slots: [30_000, 30_000, 30_000, 30_000]);
        $process = $this->compare('before.json', 'after.json', '--json');
        $json = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($json);
        self::assertIsArray($json['figures']);

        self::assertSame(['worse', 'tolerance_percent', 'figures', 'warnings'], array_keys($json));
        self::assertSame([true, []], [$json['worse'], $json['warnings']]);
        self::assertSame(['error_rate', 'requests_per_second', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99_9', 'max'], array_column($json['figures'], 'figure'));
        self::assertEquals(['figure' => 'p50', 'before' => 20_000, 'after' => 30_000, 'change' => 0.5, 'spread' => 0, 'verdict' => 'worse'], $json['figures'][3]);
        self::assertSame('not known', is_array($json['figures'][7]) ? $json['figures'][7]['verdict'] : null);
    }

    /** @return iterable<string, array{list<string>, string}> */
    public static function wrongUsage(): iterable
    {
        yield 'one file' => [['there.json'], 'missing: "after"'];
        yield 'no such file' => [['there.json', 'gone.json'], 'cannot be read'];
        yield 'no JSON' => [['there.json', 'text.json'], 'it is not JSON'];
        yield 'other JSON' => [['there.json', 'list.json'], "it has no 'plan'"];
        yield 'a number beyond a float' => [['there.json', 'huge.json'], "its 'p50' is a number beyond 1.8e308"];
        yield 'a plan that is huge' => [['there.json', 'plan.json'], "its 'samples' is a number beyond 1.8e308"];
        yield 'a plan that is none' => [['text-plan.json', 'there.json'], "its 'plan' is string and not an object"];
        yield 'a rate that is none' => [['there.json', 'rate.json'], "its 'requests_per_second' is string and not a number"];
        yield 'no number' => [['there.json', 'there.json', '--tolerance=much'], 'It must be a number of percent'];
    }

    /** @param list<string> $arguments */
    #[Test]
    #[DataProvider('wrongUsage')]
    public function wrong_usage_exits_with_2(array $arguments, string $message): void
    {
        $this->write('there.json', p50: 1, slots: []);
        $this->directory->write('text.json', 'p50: 1');
        $whole = '{"plan":%s,"error_rate":0,"requests_per_second":%s,"latency_us":{"with_timeouts":{"p50":%s}},"timeline":[]}';

        foreach (['huge' => ['{}', '1', '1e999'], 'plan' => ['{"samples":1e999}', '1', '1'], 'text-plan' => ['"x"', '1', '1'], 'rate' => ['{}', '"fast"', '1']] as $name => $values) {
            $this->directory->write("{$name}.json", sprintf($whole, ...$values));
        }

        $this->directory->write('list.json', '[1]');
        $process = $this->compare(...$arguments);

        self::assertSame(2, $process->getExitCode());
        self::assertSame('', $process->getOutput());
        self::assertStringContainsString($message, (string) preg_replace('/\s+/', ' ', $process->getErrorOutput()));
    }

    /**
     * @param list<int> $slots their p50
     * @param array<string, mixed> $more
     */
    private function write(string $name, int $p50, array $slots, array $more = []): void
    {
        $this->directory->write($name, json_encode($more + [
            'url' => 'http://127.0.0.1/', 'method' => 'GET', 'plan' => ['concurrency' => 10, 'samples' => null],
            'error_rate' => 0.0, 'requests_per_second' => 100.0,
            'latency_us' => ['with_timeouts' => ['p50' => $p50]],
            'timeline' => array_map(static fn (int $micros): array => ['seconds' => 1.0, 'succeeded' => 100, 'errors' => [], 'latency_us' => ['p50' => $micros]], $slots),
        ], JSON_THROW_ON_ERROR));
    }

    private function verdict(string ...$arguments): string
    {
        preg_match('/^p50 \(ms\).*?((?:no difference seen|worse|better))$/m', $this->compare(...$arguments)->getOutput(), $m);

        return $m[1] ?? '';
    }

    private function compare(string ...$arguments): Process
    {
        return $this->headroom('compare', ...array_map(fn (string $argument): string => str_ends_with($argument, '.json') ? $this->directory->file($argument) : $argument, array_values($arguments)));
    }

    private function headroom(string ...$arguments): Process
    {
        $process = new Process([Programs::php(), dirname(__DIR__, 3).'/bin/headroom', ...array_values($arguments)], timeout: 60);
        $process->run();

        return $process;
    }
}
