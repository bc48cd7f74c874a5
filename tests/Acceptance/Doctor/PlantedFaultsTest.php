<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Status;
use Headroom\Tests\Acceptance\Doctor\Planted\WebFaults;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use LogicException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Faults planted one at a time in a real nginx and a real PHP-FPM: each is found and nothing else is, what is as near
 * to it as can be gives no alarm, and what the fix says, done as it stands there, makes it disappear.
 */
final class PlantedFaultsTest extends TestCase
{
    #[Test, Group('day-2')]
    public function a_stack_that_is_well_gives_no_alarm(): void
    {
        $stack = new Stack;
        self::assertSame('served', $stack->get());
        $diagnosis = $stack->examined(self::checks());

        self::assertSame([], self::found($diagnosis));

        foreach ($diagnosis->results as $verdict) {
            self::assertContains(
                $verdict->finding->status,
                [Status::Pass, Status::Skipped],
                "{$verdict->check->id}: {$verdict->finding->message}",
            );
        }
    }

    /** @return array<string, array{string, array<string, string>, array<string, string>}> */
    public static function sampledFaults(): array
    {
        return Sample::of(WebFaults::faults(), 6);
    }

    /**
     * @param array<string, string> $nginx
     * @param array<string, string> $fpm
     */
    #[Test, Group('day-1')]
    #[DataProvider('sampledFaults')]
    public function a_planted_fault_is_found_alone_and_its_fix_helps(string $id, array $nginx, array $fpm): void
    {
        $stack = new Stack($nginx, $fpm);
        $diagnosis = $stack->examined(self::checks());
        $problems = $diagnosis->problems();
        $unknown = array_map(
            static fn (CheckResult $verdict): string => "{$verdict->check->id} {$verdict->finding->message}",
            array_filter(
                $diagnosis->results,
                static fn (CheckResult $verdict): bool => $verdict->finding->status === Status::Unknown,
            ),
        );
        self::assertSame(
            [$id],
            array_map(static fn (CheckResult $verdict): string => $verdict->check->id, $problems),
            implode("\n", $unknown),
        );

        $fix = $problems[0]->finding->fix;
        self::assertNotNull($fix);
        $stack->applyFix($fix);

        self::assertSame([], self::found($stack->examined(self::checks())));

        if ($id !== 'N10') {
            self::assertSame('served', $stack->get());
        }
    }

    /** @return iterable<string, array{array<string, string>, array<string, string>}> */
    public static function scripts(): iterable
    {
        $first = static fn (string $line): array => [WebFaults::PASS => "            {$line}\n".WebFaults::PASS];
        yield 'that compute without end' => [
            [],
            ['request_terminate_timeout = 55s' => 'php_admin_value[max_execution_time] = 0'],
        ];
        yield 'that compute for longer than nginx waits' => [
            $first('fastcgi_read_timeout 20s;'),
            ['request_terminate_timeout = 55s' => 'php_value[max_execution_time] = 21'],
        ];
        yield 'that may as long as PHP lets them' => [
            $first('fastcgi_read_timeout 7s;'),
            ['request_terminate_timeout = 55s' => ''],
        ];
        yield 'whose limit goes with the requests of a place' => [
            $first('fastcgi_param PHP_VALUE "memory_limit=64M\n max_execution_time = 600";'),
            ['request_terminate_timeout = 55s' => ''],
        ];
    }

    /**
     * @param array<string, string> $nginx
     * @param array<string, string> $fpm
     */
    #[Test, Group('day-3')]
    #[DataProvider('scripts')]
    public function scripts_that_outlive_the_patience_of_nginx_are_ended(array $nginx, array $fpm): void
    {
        $stack = new Stack($nginx, $fpm);
        $problems = $stack->examined(self::checks())->problems();
        $ids = array_map(static fn (CheckResult $verdict): string => $verdict->check->id, $problems);
        sort($ids);
        self::assertSame(['F9', 'N9'], $ids);

        // The fix of either is that of both.
        $stack->applyFix($problems[0]->finding->fix ?? throw new LogicException('N9 has a fix.'));
        self::assertSame([], self::found($stack->examined(self::checks())));
        self::assertSame('served', $stack->get());
    }

    #[Test, Group('day-3')]
    public function two_logs_without_times_are_fixed_one_after_the_other(): void
    {
        $stack = new Stack([
            WebFaults::FORMAT => '',
            WebFaults::LOG => "    access_log %DIR%/access.log combined buffer=64k flush=5s;\n    access_log"
                .' %DIR%/second.log combined buffer=64k flush=5s;',
        ]);
        $names = static fn (Report $diagnosis): array
            => array_map(static fn (CheckResult $verdict): string => $verdict->check->id, $diagnosis->problems());
        $diagnosis = $stack->examined(self::checks());
        self::assertSame(['N17', 'N17'], $names($diagnosis));
        $texts = array_map(
            static fn (CheckResult $verdict): string => $verdict->finding->fix->edits[0]->new ?? '',
            $diagnosis->problems(),
        );
        self::assertStringContainsString('log_format timed ', $texts[0]);
        self::assertStringContainsString('log_format timed_2 ', $texts[1]);

        foreach ([['N17'], []] as $left) {
            $fix = $diagnosis->problems()[0]->finding->fix;
            self::assertNotNull($fix);
            $stack->applyFix($fix);
            $diagnosis = $stack->examined(self::checks());
            self::assertSame($left, $names($diagnosis));
        }

        self::assertSame('served', $stack->get());
    }

    /** @return array<string, array{array<string, string>, array<string, string>}> */
    public static function sampledNearMisses(): array
    {
        return Sample::of(WebFaults::nearMisses(), 3);
    }

    /**
     * @param array<string, string> $nginx
     * @param array<string, string> $fpm
     */
    #[Test, Group('day-2')]
    #[DataProvider('sampledNearMisses')]
    public function a_near_miss_gives_no_alarm(array $nginx, array $fpm): void
    {
        self::assertSame([], self::found((new Stack($nginx, $fpm))->examined(self::checks())));
    }

    #[Test, Group('day-3')]
    public function processes_that_all_wait_are_found_and_so_is_the_queue_behind_them(): void
    {
        $stack = new Stack;
        $waiting = $stack->slow(4, 8.0);
        $found = self::until($stack, 'F2');
        self::assertMatchesRegularExpression('/^F2: \D*4 /', $found[0] ?? '');
        self::assertCount(1, $found);

        array_push($waiting, ...$stack->slow(2, 0.0));
        self::assertNotSame(
            [],
            array_filter(
                self::until($stack, 'F6: 2 '),
                static fn (string $line): bool => str_starts_with($line, 'F6: 2 '),
            ),
        );

        foreach ($waiting as $process) {
            $process->wait();
            self::assertSame('served', $process->getOutput());
        }

        self::assertSame([], self::found($stack->examined(self::checks())));
    }

    /** @return list<string> what is found once such a one is among it */
    private static function until(Stack $stack, string $prefix): array
    {
        // A check that asks a process of the pool would wait for a free one.
        $checks = Checks::only('F2', 'F6');

        for ($look = 0; $look < 40; $look++) {
            $found = self::found($stack->examined($checks));

            if (array_filter($found, static fn (string $line): bool => str_starts_with($line, $prefix)) !== []) {
                return $found;
            }

            usleep(50_000);
        }

        return $found ?? [];
    }

    /** The checks that need only this machine's configuration, and no application. */
    private static function checks(): CheckList
    {
        return Checks::ofLayers('NFOS');
    }

    /** @return list<string> */
    private static function found(Report $diagnosis): array
    {
        return array_map(
            static fn (CheckResult $verdict): string => "{$verdict->check->id}: {$verdict->finding->message}",
            $diagnosis->problems(),
        );
    }
}
