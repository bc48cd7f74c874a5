<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A run in which each answer leads elsewhere has measured the redirect, and not the page.
 */
#[RequiresPhpExtension('posix')]
final class RedirectTest extends TestCase
{
    private const OTHER = 'https://www.shop.example/';

    /** @return iterable<string, array{int, list<string>}> status, and options */
    public static function redirects(): iterable
    {
        yield 'for good' => [301, []];
        yield 'to the login' => [302, []];
        yield 'with its method' => [307, ['--method=POST']];
        yield 'for good, with its method' => [308, ['--rate=100', '--duration=0.1']];
        yield 'seen by two processes' => [303, ['--processes=2', '--concurrency=4']];
    }

    /** @param list<string> $options */
    #[Test]
    #[DataProvider('redirects')]
    public function a_run_of_redirects_alone_says_where_they_lead(int $status, array $options): void
    {
        self::assertStringContainsString(self::OTHER, $this->warnings($status, ...$options));
    }

    #[Test]
    public function it_is_not_said_of_other_answers_or_of_expected_ones(): void
    {
        self::assertStringNotContainsString(self::OTHER, $this->warnings(302, '--expect-status=302'));
        self::assertStringNotContainsString(self::OTHER, $this->warnings(201));
        // Of RFC 9110 the choice and the copy at hand lead nowhere.
        self::assertStringNotContainsString(self::OTHER, $this->warnings(300));
        self::assertStringNotContainsString(self::OTHER, $this->warnings(304));
    }

    private function warnings(int $status, string ...$options): string
    {
        $server = AnswerServer::start([
            RandomAnswer::of("HTTP/1.1 {$status} X\r\nlocation: ".self::OTHER."\r\nContent-Length: 0\r\n\r\n"),
        ]);
        $amount = preg_grep('/^--duration/', $options) === [] ? ['--requests=8'] : [];

        try {
            $process = Headroom::load(
                "http://127.0.0.1:{$server->port}/0",
                '--json',
                ...$amount,
                ...array_values($options),
            );
        } finally {
            $server->stop();
        }

        $warnings = Headroom::result($process)->at('warnings');
        self::assertIsArray($warnings);
        // To a person, too.
        self::assertSame(
            str_contains($process->getErrorOutput(), self::OTHER),
            str_contains(json_encode($warnings, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES), self::OTHER),
        );

        return $process->getErrorOutput();
    }
}
