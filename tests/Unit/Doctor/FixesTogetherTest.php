<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor;

use Headroom\Doctor\Application\PhpCli;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Laravel\Queue\JobClass;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Doctor\Support\WrittenApplication;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Figures of two fixes must not make a fault that neither made alone: configurations are drawn at random, and each
 * fix, each pair of fixes
 * and all of them together are done.
 */
final class FixesTogetherTest extends TestCase
{
    private Randomizer $random;

    #[Test]
    #[Group('day-1')]
    public function no_fix_and_no_two_fixes_build_another_fault(): void
    {
        $this->random = new Randomizer(new Mt19937(Sample::seed()));
        $done = [];

        for ($round = Sample::number(30, 1_000); $round > 0; $round--) {
            $app = $this->drawn();
            $before = $app->examined();
            $fixes = WrittenApplication::fixes($before);

            foreach ($fixes as $one => $fix) {
                $done[strtok($one, ' ')] = true;
                self::assertNothingNew($before, $app, [$one => $fix]);

                foreach ($fixes as $other => $second) {
                    if ($one !== $other) {
                        self::assertNothingNew($before, $app, [$one => $fix, $other => $second]);
                    }
                }
            }

            self::assertNothingNew($before, $app, $fixes);
        }

        self::assertSame(
            [],
            array_diff(['L11', 'L12', 'R1', 'R4', 'R11', 'R12'], array_keys($done)),
            'Each of these was drawn.',
        );
    }

    #[Test]
    public function the_figures_of_two_known_checks_go_together(): void
    {
        $app = new WrittenApplication([
            'session' => "['driver' => 'redis', 'connection' => 'default', 'lottery' => [2, 100]]",
            'cache' => "['default' => 'file', 'stores' => ['file' => ['driver' => 'file']]]",
            'queue' => "['default' => 'redis', 'connections' => ['redis' => ['driver' => 'redis', 'connection' =>"
                ." 'default', 'retry_after' => 90, 'block_for' => null]]]",
            'database' => "['redis' => ['client' => 'phpredis', 'default' => ['host' => 'h', 'port' => 1, 'database' =>"
                ." 0, 'persistent' => true]]]",
        ], new PhpCli(60.0, '6.0.2'));
        $before = $app->examined();
        $fixes = WrittenApplication::fixes($before);

        self::assertArrayHasKey('L12', $fixes);
        self::assertArrayHasKey('R4 connection default', $fixes);
        $app->applyAll($fixes);
        $after = WrittenApplication::statuses($app->examined());
        self::assertSame(
            [Status::Pass, Status::Pass, Status::Pass],
            [$after['L12'], $after['R4 connection default'], $after['R12 queue connection redis']],
        );
    }

    /** @param array<string, \Headroom\Doctor\Fix> $fixes */
    private static function assertNothingNew(Report $before, WrittenApplication $app, array $fixes): void
    {
        $text = $app->text();
        $app->applyAll($fixes);
        $examined = $app->examined();
        $was = WrittenApplication::statuses($before);
        $messages = [];

        foreach ($examined->problems() as $problem) {
            $status = $was[$problem->key()] ?? Status::Pass;

            if (! $status->isProblem() || ($status === Status::Warn && $problem->finding->status === Status::Fail)) {
                $messages[] = "{$problem->key()}: {$problem->finding->message}";
            }
        }

        self::assertSame([], $messages, implode(' and ', array_keys($fixes))."\n{$text}\n--- after\n{$app->text()}");
        $crashed = array_filter(
            $examined->results,
            static fn (CheckResult $verdict): bool => $verdict->finding->status === Status::Crashed,
        );
        self::assertSame(
            [],
            array_map(static fn (CheckResult $verdict): string => $verdict->finding->message, $crashed),
        );

        foreach (array_keys($fixes) as $key) {
            self::assertFalse(
                (WrittenApplication::statuses($examined)[$key] ?? Status::Pass)->isProblem(),
                "{$key} is still there.\n{$text}\n--- after\n{$app->text()}",
            );
        }

        $app->restore();
    }

    private function drawn(): WrittenApplication
    {
        $seconds = fn (): string => $this->one('null', '0', '-1', '0.5', '1', '2.0', '5', '5.4', '6', '10', "'3'");
        $limits = fn (): string => $this->maybe(
            "'timeout' => {$this->one('null', '0', '1.0', '2')}",
        ).$this->maybe("'read_timeout' => {$seconds()}").$this->maybe("'read_write_timeout' => {$seconds()}");
        $options = $this->maybe(
            "'persistent' => {$this->one('true', 'false', "W::env('REDIS_PERSISTENT', false)")}",
        ).$this->one('', '', $this->maybe("'read_timeout' => {$seconds()}")).$this->one(
            '',
            '',
            "'parameters' => [{$this->maybe("'read_write_timeout' => {$seconds()}")}], ",
        );
        $connection = fn (int $database): string => "['host' => 'h', 'port' => 1,"
            ." {$this->maybe("'database' => {$database}")}{$limits()}{$this->one('', '', "'options' => [{$limits()}], ")}]";
        $queue = fn (): string
            => "['driver' => 'redis', 'connection' => {$this->one("'default'", "'cache'", 'null')}, {$this->maybe(
                "'retry_after' => {$this->one('null', '30', '60', '90', '600')}",
            )}{$this->maybe("'block_for' => {$this->one('null', '0', '1', '5', '20', '70')}")}]";

        return new WrittenApplication(
            array_map($this->laidOut(...), [
                'session' => "['driver' => {$this->one("'redis'", "'redis'", "W::env('SESSION_DRIVER', 'file')")},"
                    ." 'connection' => 'default', 'lottery' => [2, 100]]",
                'cache' => "['default' => 'redis', 'stores' => ['redis' => ['driver' => 'redis', 'connection' =>"
                    ." 'cache', 'lock_connection' => 'default']]]",
                'queue' => "['default' => {$this->one("'redis'", "'redis'", "W::env('QUEUE_CONNECTION', 'sync')")},"
                    ." 'connections' => ['redis' => {$queue()}, 'slow' => {$queue()}, 'tube' => ['driver' =>"
                    ." 'beanstalkd', 'retry_after' => {$this->one('30', '90')}]]]",
                'horizon' =>
                    "['defaults' => ['one' => ['connection' => {$this->one("'redis'", "'slow'")}, {$this->maybe(
                        "'timeout' => {$this->one('0', '30', '80', '600')}",
                    )}]], 'environments' => [
                {$this->one("'production'", "'*'", "'local'")} => ['one' => [{$this->maybe("'timeout' => 300")}]],
            ]]",
                'database' => "['redis' => ['client' => {$this->one(
                    "'phpredis'",
                    "W::env('REDIS_CLIENT', 'phpredis')",
                    "W::env('REDIS_CLIENT', 'predis')",
                )}, 'options' => [{$options}], 'default' => {$connection(0)}, 'cache' => {$connection(1)}]]",
            ]),
            new PhpCli((float) $this->one('60', '60', '3', '-1'), $this->one('5.3.7', '6.0.2')),
            $this->one('', 'x') === '' ? [] : [
                new QueueWorker(1, $this->one('redis', 'slow'), (int) $this->one('0', '60', '120', '700')),
            ],
            $this->one('', '', 'x') === '' ? [] : [
                new JobClass('A', (int) $this->one('100', '20'), null, 'app/Jobs/A.php:3'),
            ],
        );
    }

    /** On one line, or as Laravel's own files have it. */
    private function laidOut(string $code): string
    {
        if ($this->one('', 'x') === '') {
            return $code;
        }

        $lines = preg_replace(['/\[(?=[^\]])/', '/(?<=[^\[, ]),? ?\]/', '/, /'], ["[\n", ",\n]", ",\n"], $code);

        return (string) $lines;
    }

    private function maybe(string $code): string
    {
        return $this->one($code.', ', '');
    }

    private function one(string ...$of): string
    {
        return $of[$this->random->getInt(0, count($of) - 1)];
    }
}
