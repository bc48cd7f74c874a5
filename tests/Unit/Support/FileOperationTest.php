<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Support;

use Headroom\Support\FileOperation;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;

final class FileOperationTest extends TestCase
{
    #[Test]
    public function the_kernels_reason_is_told_where_the_applications_handler_keeps_php_from_remembering_it(): void
    {
        // As Laravel's does with what @ silences: it does not say false, and error_get_last() stays empty.
        set_error_handler(static fn (): bool => true);

        try {
            $reason = '';
            $file = FileOperation::run(static fn () => @fopen('/nowhere/at/all', 'r'), $reason);

            self::assertFalse($file);
            self::assertSame('No such file or directory', $reason);
            self::assertSame(
                'No such file or directory',
                FileOperation::reason(static fn () => rename('/nowhere/a', '/nowhere/b')),
            );
        } finally {
            restore_error_handler();
        }
    }

    #[Test]
    public function the_applications_handler_is_back_afterwards_even_when_the_call_throws(): void
    {
        $seen = [];
        set_error_handler(static function (int $level, string $message) use (&$seen): bool {
            $seen[] = $message;

            return true;
        });

        try {
            FileOperation::run(function (): int {
                return $this->count() > 0 ? throw new RuntimeException('thrown') : 0;
            });
        } catch (RuntimeException $e) {
            $seen[] = $e->getMessage();
            trigger_error('mine', E_USER_NOTICE);
        } finally {
            restore_error_handler();
        }

        self::assertSame(['thrown', 'mine'], $seen);
    }
}
