<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Load\Compare\Verdict;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * `load:compare` of results that load wrote, and of results whose figures are as the test wants them.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class CompareCommandTest extends TestCase
{
    use ComparesRuns;

    #[Test, Group('day-3')]
    public function a_slower_server_is_worse_and_the_other_way_round_better(): void
    {
        $server = HttpServer::start();

        try {
            foreach (['fast' => '/slow/20', 'slow' => '/slow/300', 'broken' => '/status/503'] as $name => $path) {
                $this->headroom(
                    'load',
                    $server->url($path),
                    '--duration=4',
                    '--concurrency=20',
                    "--output={$this->directory->file("{$name}.json")}",
                );
            }
        } finally {
            $server->stop();
        }

        $worse = $this->compare('fast.json', 'slow.json');
        $better = $this->compare('slow.json', 'fast.json');
        $broken = $this->compare('fast.json', 'broken.json');

        self::assertSame(
            [1, 0, 1],
            [$worse->getExitCode(), $better->getExitCode(), $broken->getExitCode()],
            $worse->getOutput().$worse->getErrorOutput(),
        );
        self::assertSame(
            [Verdict::Worse->value, Verdict::NoDifference->value],
            $this->verdicts(['p50', 'error_rate'], 'fast.json', 'slow.json'),
        );
        self::assertSame([Verdict::Better->value], $this->verdicts(['p50'], 'slow.json', 'fast.json'));
        self::assertSame([Verdict::Worse->value], $this->verdicts(['error_rate'], 'fast.json', 'broken.json'));
        self::assertMatchesRegularExpression('/^p50 \(ms\) .*'.Verdict::Worse->value.'$/m', $worse->getOutput());
        self::assertMatchesRegularExpression('/ 0 % +100 % .*'.Verdict::Worse->value.'$/m', $broken->getOutput());
        Sentence::assertNames(
            ['url', '/slow/20', '/slow/300'],
            strtr($worse->getErrorOutput(), [$server->url('') => '']),
        );

        foreach (explode("\n", $worse->getOutput()) as $line) {
            self::assertLessThanOrEqual(80, strlen($line));
        }
    }

    #[Test, Group('day-1')]
    public function a_change_that_may_be_chance_is_never_called_no_difference(): void
    {
        // Seconds of 10 to 40 ms in both: what they have in common hides 5 ms more, and far more than the tolerance.
        $this->write('before.json', p50: 20_000, slots: [10_000, 20_000, 30_000, 40_000]);
        $this->write('after.json', p50: 25_000, slots: [10_000, 20_000, 30_000, 40_000]);
        $this->write('tripled.json', p50: 64_600, slots: [10_000, 20_000, 30_000, 200_000]);
        $this->write('alike.json', p50: 20_100, slots: [19_000, 20_000, 21_000, 20_000]);
        $this->write('steady.json', p50: 25_000, slots: [25_000, 25_000, 25_000, 25_000]);
        $this->write('steady-before.json', p50: 20_000, slots: [20_000, 20_001, 20_000, 20_000]);

        self::assertSame([Verdict::TooShort->value], $this->verdicts(['p50'], 'before.json', 'after.json'));
        self::assertSame([Verdict::TooShort->value], $this->verdicts(['p50'], 'before.json', 'tripled.json'));
        self::assertSame([Verdict::TooShort->value], $this->verdicts(['p50'], 'before.json', 'alike.json'));
        self::assertSame([Verdict::NoDifference->value], $this->verdicts(['p50'], 'steady-before.json', 'alike.json'));
        self::assertSame([Verdict::Worse->value], $this->verdicts(['p50'], 'steady-before.json', 'steady.json'));
        self::assertSame(
            [3, 3, 0, 1],
            $this->exits(
                ['before', 'after'],
                ['before', 'tripled'],
                ['steady-before', 'alike'],
                ['steady-before', 'steady'],
            ),
        );
        // The margin is far below the figure, and what is seen is beyond the tolerance.
        $this->write('calm-before.json', p50: 20_000, slots: [18_000, 22_000, 19_000, 21_000]);
        $this->write('calm-after.json', p50: 23_000, slots: [21_000, 25_000, 22_000, 24_000]);
        self::assertSame([3], $this->exits(['calm-before', 'calm-after']));
        self::assertSame(0, $this->compare('calm-before.json', 'calm-after.json', '--tolerance=20')->getExitCode());
        // A tolerance that is larger than what is seen, and a margin below the figure, are enough.
        self::assertSame(3, $this->compare('before.json', 'after.json', '--tolerance=30')->getExitCode());
        $this->write(
            'long-before.json',
            p50: 20_000,
            slots: array_merge(...array_fill(0, 50, [18_000, 22_000, 19_000, 21_000])),
        );
        $this->write(
            'long-after.json',
            p50: 20_500,
            slots: array_merge(...array_fill(0, 50, [18_000, 22_000, 19_000, 21_000])),
        );
        self::assertSame(0, $this->compare('long-before.json', 'long-after.json', '--tolerance=30')->getExitCode());
    }

    #[Test]
    public function a_large_change_in_noisy_short_runs_names_the_duration_that_shows_it(): void
    {
        $this->write('before.json', 3_634_000, [500_000, 9_000_000, 1_000_000, 7_000_000, 670_000]);
        $this->write('after.json', 620_000, [610_000, 640_000, 600_000, 630_000, 620_000]);
        $compared = $this->compare('before.json', 'after.json');

        self::assertSame(3, $compared->getExitCode());
        self::assertMatchesRegularExpression('/^p50.* -82\.9 % .*too short to judge$/m', $compared->getOutput());
        self::assertDoesNotMatchRegularExpression('/^(mean|p\d).*no difference seen/m', $compared->getOutput());
        self::assertMatchesRegularExpression(
            '/^Too short to judge: .*(--duration=\d+|even runs of an hour)/m',
            $compared->getErrorOutput(),
        );

        // Fifteen seconds at least, also when a little more than the five would do.
        $this->write('few.json', 1_000, [1_000, 1_040, 960, 1_030, 970]);
        $this->write('more.json', 1_050, [1_050, 1_090, 1_010, 1_080, 1_020]);
        self::assertStringContainsString(
            'run each with at least --duration=15, or give',
            $this->compare('few.json', 'more.json', '--tolerance=4.9')->getErrorOutput(),
        );
    }

    /**
     * @return iterable<string, array{int, int, int, int, string, int}> requests and errors of both runs, verdict,
     *     exit code
     */
    public static function shares(): iterable
    {
        yield 'no errors in many' => [10_000, 0, 10_000, 0, Verdict::NoDifference->value, 0];
        yield 'no errors in few' => [5, 0, 5, 0, Verdict::TooShort->value, 3];
        yield 'one error in few' => [5, 0, 5, 1, Verdict::TooShort->value, 3];
        yield 'one of many' => [10_000, 0, 10_000, 1, Verdict::NoDifference->value, 0];
        yield 'many errors of many' => [10_000, 0, 10_000, 500, Verdict::Worse->value, 1];
        yield 'fewer errors of many' => [10_000, 500, 10_000, 0, Verdict::Better->value, 0];
        yield 'a long run and a short one' => [100_000, 0, 4, 1, Verdict::TooShort->value, 3];
        yield 'all errors' => [10_000, 0, 10_000, 10_000, Verdict::Worse->value, 1];
        yield 'all errors of few' => [20, 0, 20, 20, Verdict::Worse->value, 1];
        yield 'all errors in both' => [10_000, 10_000, 10_000, 10_000, Verdict::NoDifference->value, 3];
    }

    #[Test, Group('day-2')]
    #[DataProvider('shares')]
    public function a_share_of_errors_is_judged_by_how_many_requests_it_is_of(
        int $sent,
        int $errors,
        int $sentAfter,
        int $errorsAfter,
        string $verdict,
        int $exit,
    ): void {
        foreach (['before' => [$sent, $errors], 'after' => [$sentAfter, $errorsAfter]] as $name => [
            $requests, $failed,
        ]) {
            $this->write(
                "{$name}.json",
                p50: 20_000,
                slots: [20_000, 20_000, 20_000, 20_000],
                more: ['sent' => $requests, 'succeeded' => $requests - $failed, 'error_rate' => $failed / $requests],
            );
        }

        self::assertSame([$verdict], $this->verdicts(['error_rate'], 'before.json', 'after.json'));
        self::assertSame([$exit], $this->exits(['before', 'after']));

        // Times of a run in which nothing succeeded are those of its errors.
        if ($errorsAfter === $sentAfter) {
            self::assertSame(
                [Verdict::Unknown->value, Verdict::Unknown->value],
                $this->verdicts(['p50', 'requests_per_second'], 'before.json', 'after.json'),
            );
        }
    }

    #[Test, Group('day-3')]
    public function real_runs_of_a_second_of_few_requests_and_of_none_are_not_judged(): void
    {
        $server = HttpServer::start();

        try {
            $runs = [
                'short' => ['/ok', '--duration=1'], 'short again' => ['/ok', '--duration=1'],
                'slower' => ['/slow/5', '--duration=1'],
                'few' => ['/ok', '--requests=3'], 'few again' => ['/ok', '--requests=3'],
                'none' => ['/hang', '--duration=0.3'], 'none again' => ['/hang', '--duration=0.3'],
                'long' => ['/ok', '--duration=4'],
            ];

            foreach ($runs as $name => [$path, $option]) {
                $this->headroom(
                    'load',
                    $server->url($path),
                    $option,
                    '--concurrency=2',
                    "--output={$this->directory->file("{$name}.json")}",
                );
            }
        } finally {
            $server->stop();
        }

        $pairs = [
            ['short', 'slower'], ['short', 'short again'], ['few', 'few again'], ['few', 'long'], ['long', 'few'],
            ['short', 'long'],
            ['none', 'none again'], ['long', 'none'], ['none', 'long'],
        ];
        self::assertSame([2], $this->exits(['short', 'short']));
        self::assertSame(array_fill(0, count($pairs), 3), $this->exits(...$pairs));
        self::assertSame(
            [Verdict::TooShort->value, Verdict::TooShort->value],
            $this->verdicts(['p50', 'requests_per_second'], 'short.json', 'slower.json'),
        );
        self::assertSame([Verdict::Unknown->value], $this->verdicts(['error_rate'], 'none.json', 'long.json'));
    }

    #[Test]
    public function the_tolerance_decides_how_much_worse_is_too_much(): void
    {
        $this->write('before.json', p50: 20_000, slots: [20_000, 20_000, 20_000, 20_000]);
        $this->write('after.json', p50: 21_000, slots: [21_000, 21_000, 21_000, 21_000]);

        self::assertSame(1, $this->compare('before.json', 'after.json', '--tolerance=4.9')->getExitCode());
        self::assertSame(0, $this->compare('before.json', 'after.json', '--tolerance=5.1')->getExitCode());
        self::assertSame(
            [Verdict::Worse->value],
            $this->verdicts(['p50'], 'before.json', 'after.json', '--tolerance=5.1'),
        );
    }

    #[Test]
    public function runs_that_are_too_short_or_doubtful_or_of_other_plans_are_told(): void
    {
        $this->write('before.json', p50: 20_000, slots: [20_000, 20_000, 20_000]);
        $this->write(
            'after.json',
            p50: 21_000,
            slots: [21_000],
            more: [
                'stopped_early' => true,
                'lost' => ['Process 2 was ended by signal 9'],
                'client' => ['limited' => true],
                'plan' => ['concurrency' => 50, 'requests' => null],
            ],
        );
        $process = $this->compare('before.json', 'after.json');
        $json = json_decode(
            $this->compare('before.json', 'after.json', '--json')->getOutput(),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertIsArray($json);

        self::assertCount(5, (array) $json['warnings']);
        self::assertSame([3, false, false], [$process->getExitCode(), $json['worse'], $json['judged']]);
        Sentence::assertNames(['concurrency', '10', '50', 'p50'], $process->getErrorOutput());
        self::assertStringNotContainsString('url', $process->getErrorOutput());
        Snapshot::assertPrinted(
            'load:compare',
            'short, doubtful and unlike runs',
            $process->getErrorOutput().$process->getOutput(),
        );
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

        self::assertSame(['worse', 'judged', 'tolerance_percent', 'figures', 'warnings'], array_keys($json));
        self::assertSame([true, true, []], [$json['worse'], $json['judged'], $json['warnings']]);
        self::assertSame(
            ['error_rate', 'requests_per_second', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99_9', 'max'],
            array_column($json['figures'], 'figure'),
        );
        self::assertEquals(
            [
                'figure' => 'p50',
                'before' => 20_000,
                'after' => 30_000,
                'change' => 0.5,
                'margin' => 0,
                'verdict' => Verdict::Worse->value,
            ],
            $json['figures'][3],
        );
        self::assertSame(
            Verdict::Unknown->value,
            is_array($json['figures'][7]) ? $json['figures'][7]['verdict'] : null,
        );
    }

    /**
     * @param list<string> $figures
     * @return list<mixed> of these figures
     */
    private function verdicts(array $figures, string ...$arguments): array
    {
        $json = json_decode(
            $this->compare(...[...array_values($arguments), '--json'])->getOutput(),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertIsArray($json);
        self::assertIsArray($json['figures']);
        $verdicts = array_column($json['figures'], 'verdict', 'figure');

        return array_map(static fn (string $figure): mixed => $verdicts[$figure] ?? null, $figures);
    }

    /**
     * @param array{string, string} ...$pairs
     * @return list<?int>
     */
    private function exits(array ...$pairs): array
    {
        return array_map(
            fn (array $pair): ?int => $this->compare("{$pair[0]}.json", "{$pair[1]}.json")->getExitCode(),
            array_values($pairs),
        );
    }
}
