<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Live;

use Headroom\Doctor\Check;
use Headroom\Doctor\Checks\Checks;
use Headroom\Doctor\Diagnosis;
use Headroom\Doctor\Facts\Waits\WaitKind;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Live\LiveDiagnosis;
use Headroom\Doctor\Live\Stall;
use Headroom\Doctor\Verdict;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Findings of the checks that explain the cause of a recording.
 */
final class CauseExplanationsTest extends TestCase
{
    /** @return iterable<string, array{Stall, string}> */
    public static function explanations(): iterable
    {
        yield 'a quota' => [Stall::CpuQuota, 'S7'];
        yield 'connecting to the SQL server' => [Stall::DatabaseConnections, 'D2'];
        yield 'rows of others' => [Stall::DatabaseLocks, 'D10'];
        yield 'dozens of statements' => [Stall::DatabaseReplies, 'L18'];
        yield 'one thread of Redis' => [Stall::RedisReplies, 'R10'];
        yield 'processes that start late' => [Stall::PoolTooSmall, 'F3'];
        yield 'a backlog that lost connections' => [Stall::BacklogOverflow, 'S2'];
        yield 'connections that an upgrade keeps' => [Stall::KeptConnections, 'N7'];
        yield 'sessions that are locked' => [Stall::Sleeping, 'L19'];
        yield 'files in a directory' => [Stall::KernelLocks, 'L7'];
        yield 'classes that are not there' => [Stall::CpuFull, 'O12'];
    }

    #[Test]
    #[DataProvider('explanations')]
    public function a_finding_of_a_check_explains_the_cause(Stall $stall, string $id): void
    {
        $live = array_values(array_filter(array_map(static fn (Recordings $seen): LiveDiagnosis => $seen->diagnosis(), [
            Recordings::busy()->forTheDatabase(38)->database(100, 100, 1),
            Recordings::busy()->forTheDatabase(38)->database(100, 300, 38, 35), Recordings::busy()->forTheDatabase(38),
            Recordings::busy()->forRedis(38), Recordings::busy()->doing(40, WaitKind::Working)->kernel(0, 10, 9),
            Recordings::busy()->doing(40, WaitKind::Working),
            Recordings::busy()->forRedis(14)->forTheDatabase(13)->doing(13, WaitKind::Disk)->kernel(20),
            Recordings::busy()->doing(40, WaitKind::Client), Recordings::busy()->doing(40, WaitKind::Sleeping),
            Recordings::busy()->doing(40, WaitKind::KernelLock),
            Recordings::busy()->doing(40, WaitKind::Working)->idle(0.02),
        ]), static fn (LiveDiagnosis $live): bool => $live->cause->stall === $stall))[0]
            ?? self::fail("No recording speaks for {$stall->value}.");

        $rule = array_values(array_filter(
            Checks::all(),
            static fn (Check $check): bool => $check->rule()->id === $id,
        ))[0]->rule();
        $verdict = new Verdict($rule, Finding::fail('It is so.', [], '', new Fix('Do it.')));

        self::assertSame($verdict, $live->explainedBy(new Diagnosis([$verdict])));
        self::assertArrayHasKey($id, $live->supported());
    }

    #[Test]
    public function each_check_that_explains_a_cause_is_there(): void
    {
        $ids = array_map(static fn (Check $check): string => $check->rule()->id, Checks::all());

        foreach (Stall::cases() as $stall) {
            self::assertSame([], array_diff($stall->rules(), $ids), $stall->value);
            self::assertSame(array_unique($stall->rules()), $stall->rules());
        }
    }
}
