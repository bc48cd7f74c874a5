<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Laravel\Sinks;

use Headroom\Laravel\Sinks\SmtpRefusal;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Symfony\Component\Mailer\Exception\TransportException;
use Symfony\Component\Mailer\Exception\UnexpectedResponseException;
use Throwable;

/**
 * Which failures of Symfony Mailer are about the mail. EmailsTest has the commonest from a real server.
 */
final class SmtpRefusalTest extends TestCase
{
    /** @return iterable<string, array{Throwable, bool}> */
    public static function failures(): iterable
    {
        yield 'unknown recipient' => [self::answer('250/251/252', 550, 'RCPT TO:<a@b.c>'), true];
        yield 'recipient full for now' => [self::answer('250/251/252', 452, 'RCPT TO:<a@b.c>'), false];
        yield 'content refused' => [self::answer('250', 554, '.'), true];
        yield 'content refused for now' => [self::answer('250', 451, '.'), false];
        yield 'sender refused' => [self::answer('250', 550, 'MAIL FROM:<a@b.c>'), false];
        yield 'wrong password' => [self::answer('235', 535, 'AUTH LOGIN'), false];
        yield 'no transaction' => [self::answer('354', 503, 'DATA'), false];
        yield 'service not available' => [self::answer('220', 421, 'EHLO x'), false];
        yield 'no connection' => [new TransportException('Connection could not be established'), false];
        yield 'an exception of another kind with that code' => [
            new RuntimeException('Expected response code "250/251/252" but got code "550"', 550), false,
        ];
        yield 'one that was wrapped' => [
            new RuntimeException('The mail failed.', 0, self::answer('250/251/252', 550, 'RCPT TO:<a@b.c>')), true,
        ];
    }

    #[Test]
    #[DataProvider('failures')]
    public function a_mail_is_refused_for_its_recipient_or_its_content_only(Throwable $failure, bool $isRefusal): void
    {
        self::assertSame($isRefusal, SmtpRefusal::reason($failure) !== null);
    }

    #[Test]
    public function the_reason_names_no_address(): void
    {
        self::assertStringMatchesFormat(
            '%s: Expected response code "250/251/252" but got code "550", with message "550 5.1.1 <(%s)>: unknown".',
            (string) SmtpRefusal::reason(self::answer('250/251/252', 550, 'RCPT TO:<a@b.c>')),
        );
        self::assertStringNotContainsString(
            'a@b.c',
            (string) SmtpRefusal::reason(self::answer('250/251/252', 550, 'RCPT TO:<a@b.c>')),
        );
    }

    private static function answer(string $expected, int $code, string $command): Throwable
    {
        $failure = new UnexpectedResponseException(
            "Expected response code \"{$expected}\" but got code \"{$code}\", with message \"{$code} 5.1.1"
                .' <a@b.c>: unknown".',
            $code,
        );
        $failure->appendDebug(
            "[2026-01-01T00:00:00.000000Z] < 220 mx ESMTP\n[2026-01-01T00:00:00.000000Z] >"
                ." {$command}\n[2026-01-01T00:00:00.000000Z] < {$code} 5.1.1 no\n",
        );

        return $failure;
    }
}
