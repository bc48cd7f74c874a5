<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Dashboard;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The view token: it reads without a session, it is renewed, and a refusal ends the page.
 */
final class TokenTest extends TestCase
{
    /** Only a proxy before the application, or maintenance mode with a secret, asks for the cookies or the password. */
    #[Test]
    public function numbers_are_read_with_the_token_and_pass_a_proxy_with_a_login(): void
    {
        $seen = DashboardBrowser::look([['text' => 'web-3']]);
        $data = DashboardBrowser::requests($seen, 'data/');

        self::assertNotSame([], $data);
        self::assertSame([['token-1'], ['session=s1']], [
            array_values(array_unique(array_column($data, 'token'))),
            array_values(array_unique(array_column($data, 'cookie'))),
        ]);
    }

    #[Test]
    public function an_expired_token_is_renewed_with_the_session(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'Live,'], ['mark' => 'expired'], ['server' => ['token' => 'token-2']],
            ['until' => 'data/now', 'count' => 3], ['pause' => 0.3], ['see' => 'after'],
        ]);
        $from = $seen['marks']['expired'];
        [$renewal] = DashboardBrowser::requests($seen, 'token', $from);

        self::assertSame('session=s1', $renewal['cookie']);
        self::assertCount(1, DashboardBrowser::requests($seen, 'token', $from));
        self::assertContains('token-2', array_column(DashboardBrowser::requests($seen, 'data/now', $from), 'token'));
        self::assertNull($seen['states']['after']['problem']);
    }

    #[Test]
    #[TestWith([401]), TestWith([403])]
    public function a_refused_renewal_ends_the_page_and_leaves_no_number(int $status): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'page-views'], ['server' => ['token' => 'token-2', 'renewal' => $status]],
            ['text' => 'You may no longer see this page'], ['mark' => 'ended'], ['pause' => 3], ['see' => 'ended'],
        ]);
        $ended = $seen['states']['ended'];

        self::assertSame(['Ended', 'You may no longer see this page'], [$ended['live'], $ended['heading']]);
        self::assertStringNotContainsString('page-views', $ended['text']);
        self::assertCount($seen['marks']['ended'], $seen['requests']);
        self::assertContains('Reload', $ended['buttons']);
    }

    #[Test]
    #[TestWith([500]), TestWith([503])]
    public function a_renewal_that_fails_does_not_end_the_page(int $status): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'page-views'], ['server' => ['token' => 'token-2', 'renewal' => $status]],
            ['text' => 'Not refreshed since'], ['see' => 'down'], ['server' => ['renewal' => 200]],
            ['without' => 'Not refreshed since'], ['see' => 'up'],
        ]);

        self::assertStringContainsString('page-views', $seen['states']['down']['text']);
        self::assertStringStartsWith('Live,', (string) $seen['states']['up']['live']);
    }

    #[Test]
    public function a_page_of_a_link_renews_nothing_and_ends_when_the_link_does(): void
    {
        $seen = DashboardBrowser::look(
            [
                ['text' => 'page-views'], ['see' => 'open'], ['server' => ['token' => 'token-2']],
                ['text' => 'The link has expired'], ['see' => 'ended'],
            ],
            ['renew' => false, 'csrf' => '', 'manage' => false],
        );

        self::assertSame([], DashboardBrowser::requests($seen, 'token'));
        self::assertStringContainsString('php artisan headroom:link', $seen['states']['ended']['text']);
        self::assertStringNotContainsString('page-views', $seen['states']['ended']['text']);
    }
}
