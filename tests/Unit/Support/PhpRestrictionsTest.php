<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Support;

use Error;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\UnableToCall;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PhpRestrictionsTest extends TestCase
{
    #[Test]
    public function a_function_that_is_not_there_answers_null(): void
    {
        self::assertNull(PhpRestrictions::call('no_such_function', 1));
        self::assertSame(3, PhpRestrictions::call('strlen', 'abc'));
        self::assertFalse(PhpRestrictions::call('fileowner', '/nowhere/at/all'));
    }

    #[Test]
    public function an_undefined_function_of_the_application_stays_its_own_error(): void
    {
        $mine = new Error('Call to undefined function App\\misspelled()');

        self::assertSame($mine, UnableToCall::behind($mine));

        try {
            PhpRestrictions::within(static fn () => throw $mine);
        } catch (Error $e) {
            self::assertSame($mine, $e);
        }
    }

    #[Test]
    public function the_applications_handler_sees_all_warnings_but_those_of_looks_made_here(): void
    {
        $seen = [];
        set_error_handler(static function (int $level, string $message) use (&$seen): bool {
            $seen[] = $message;

            return true;
        });

        try {
            PhpRestrictions::within(static fn () => trigger_error(
                'open_basedir restriction in effect, says the application',
                E_USER_WARNING,
            ));
            trigger_error('after it', E_USER_WARNING);
        } finally {
            restore_error_handler();
        }

        self::assertSame(['open_basedir restriction in effect, says the application', 'after it'], $seen);
    }
}
