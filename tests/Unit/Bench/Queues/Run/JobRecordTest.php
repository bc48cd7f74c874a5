<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Run;

use Headroom\Bench\Queues\Run\JobOutcome;
use Headroom\Bench\Queues\Run\JobRecord;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class JobRecordTest extends TestCase
{
    #[Test]
    public function written_records_are_read_again(): void
    {
        $records = [
            new JobRecord(0, JobOutcome::Done, 0, 0, 0),
            new JobRecord(4_294_967_295, JobOutcome::Thrown, 1, 4_294_967_296, PHP_INT_MAX),
            new JobRecord(7, JobOutcome::Failed, 123_456_789_012_345, 123_456_789_012_346, 123_456_789_012_347),
        ];

        self::assertEquals(
            $records,
            JobRecord::decodeAll(implode(
                '',
                array_map(static fn (JobRecord $record): string => $record->encode(), $records),
            )),
        );
        self::assertSame(JobRecord::BYTES, strlen($records[1]->encode()));
    }

    /** @return iterable<string, array{int}> */
    public static function torn(): iterable
    {
        yield 'a byte of it' => [1];
        yield 'half of it' => [16];
        yield 'all but a byte' => [31];
    }

    #[Test]
    #[DataProvider('torn')]
    public function the_last_one_is_left_out_when_its_worker_was_killed_over_it(int $bytes): void
    {
        $whole = new JobRecord(1, JobOutcome::Done, 10, 20, 30);
        $torn = substr((new JobRecord(2, JobOutcome::Done, 11, 21, 31))->encode(), 0, $bytes);

        self::assertEquals([$whole], JobRecord::decodeAll($whole->encode().$torn));
        self::assertSame([], JobRecord::decodeAll($torn));
    }

    #[Test]
    public function of_a_worker_that_did_nothing_there_is_none(): void
    {
        self::assertSame([], JobRecord::decodeAll(''));
    }
}
