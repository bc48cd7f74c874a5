<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\UnderLoad;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Findings of the checks that explain the cause of a recording.
 */
final class CauseExplanationsTest extends TestCase
{
    /** @return iterable<string, array{Bottleneck, string}> */
    public static function explanations(): iterable
    {
        yield 'a quota' => [Bottleneck::CpuQuota, 'S7'];
        yield 'connecting to the SQL server' => [Bottleneck::DatabaseConnections, 'D2'];
        yield 'rows of others' => [Bottleneck::DatabaseLocks, 'D10'];
        yield 'dozens of statements' => [Bottleneck::DatabaseReplies, 'L18'];
        yield 'one thread of Redis' => [Bottleneck::RedisReplies, 'R10'];
        yield 'processes that start late' => [Bottleneck::PoolTooSmall, 'F3'];
        yield 'a backlog that lost connections' => [Bottleneck::BacklogOverflow, 'S2'];
        yield 'connections that an upgrade keeps' => [Bottleneck::KeptConnections, 'N7'];
        yield 'sessions that are locked' => [Bottleneck::Sleeping, 'L19'];
        yield 'files in a directory' => [Bottleneck::KernelLocks, 'L7'];
        yield 'classes that are not there' => [Bottleneck::CpuFull, 'O12'];
    }

    #[Test]
    #[DataProvider('explanations')]
    public function a_finding_of_a_check_explains_the_cause(Bottleneck $bottleneck, string $id): void
    {
        $live = array_values(array_filter(array_map(static fn (Recordings $seen): LoadDiagnosis => $seen->diagnosis(), [
            Recordings::busy()->forTheDatabase(38)->database(100, 100, 1),
            Recordings::busy()->forTheDatabase(38)->database(100, 300, 38, 35), Recordings::busy()->forTheDatabase(38),
            Recordings::busy()->forRedis(38), Recordings::busy()->doing(40, WaitKind::Working)->kernel(0, 10, 9),
            Recordings::busy()->doing(40, WaitKind::Working),
            Recordings::busy()->forRedis(14)->forTheDatabase(13)->doing(13, WaitKind::Disk)->kernel(20),
            Recordings::busy()->doing(40, WaitKind::Client), Recordings::busy()->doing(40, WaitKind::Sleeping),
            Recordings::busy()->doing(40, WaitKind::KernelLock),
            Recordings::busy()->doing(40, WaitKind::Working)->idle(0.02),
        ]), static fn (LoadDiagnosis $live): bool => $live->cause->bottleneck === $bottleneck))[0]
            ?? self::fail("No recording supports {$bottleneck->value}.");

        $verdict = new CheckResult(
            CheckList::ofPackage()->text($id),
            Finding::fail('It is so.', [], new Fix('Do it.'), ''),
        );

        self::assertSame($verdict, $live->explainedBy(new Report([$verdict])));
        self::assertArrayHasKey($id, $live->sentenceByCheck());
    }

    #[Test]
    public function each_check_that_explains_a_cause_is_there(): void
    {
        $ids = CheckList::ofPackage()->ids();

        foreach (Bottleneck::cases() as $bottleneck) {
            self::assertSame([], array_diff($bottleneck->checks(), $ids), $bottleneck->value);
            self::assertSame(array_unique($bottleneck->checks()), $bottleneck->checks());
        }
    }
}
