<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Headroom\Spool\AppendFailure;
use Headroom\Spool\UnableToAppend;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class AppendFailureTest extends TestCase
{
    #[Test]
    #[TestWith(['Write of 100 bytes failed with errno=28 No space left on device', AppendFailure::DiskFull])]
    #[TestWith(['Write of 100 bytes failed with errno=122 Disk quota exceeded', AppendFailure::DiskQuota])]
    #[TestWith(['Write of 100 bytes failed with errno=27 File too large', AppendFailure::FileTooLarge])]
    #[TestWith(['Write of 100 bytes failed with errno=5 Eingabe-/Ausgabefehler', AppendFailure::IoError])]
    #[TestWith(['Write of 100 bytes failed with errno=99 Cannot assign requested address', AppendFailure::Other])]
    #[TestWith(['Permission denied', AppendFailure::NotPermitted])]
    #[TestWith(['Operation not permitted', AppendFailure::NotPermitted])]
    #[TestWith(['Read-only file system', AppendFailure::ReadOnly])]
    #[TestWith(['Too many open files in system', AppendFailure::TooManyFiles])]
    #[TestWith(['No space left on device. /buffer belongs to root (uid 0)', AppendFailure::DiskFull])]
    #[TestWith(['Not a directory', AppendFailure::Other])]
    #[TestWith(['unknown reason', AppendFailure::Other])]
    public function the_kernels_reason_is_told_by_its_number_or_its_words(string $reason, AppendFailure $failure): void
    {
        self::assertSame($failure, AppendFailure::fromReason($reason));
    }

    #[Test]
    public function a_write_that_was_cut_short_counts_as_a_full_disk(): void
    {
        self::assertSame(
            AppendFailure::DiskFull,
            UnableToAppend::wroteTooLittle('/slot', 40, 100, 'unknown reason')->failure,
        );
        self::assertSame(
            AppendFailure::IoError,
            UnableToAppend::wroteTooLittle(
                '/slot',
                0,
                100,
                'Write of 100 bytes failed with errno=5 Input/output error',
            )->failure,
        );
    }

    #[Test]
    public function every_failure_says_what_to_do(): void
    {
        foreach (AppendFailure::cases() as $failure) {
            self::assertNotSame('', $failure->fix());
        }
    }
}
