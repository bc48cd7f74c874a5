<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The pages with a database behind them are the same on each. The others are looked at in tests/Acceptance/Preload.
 */
final class WorkbenchPagesTest extends TestCase
{
    private ?WorkbenchApplication $workbench = null;

    protected function tearDown(): void
    {
        $this->workbench?->shut();
        $this->workbench = null;
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function the_posts_are_the_same_on_each_database_however_often_they_are_written(
        WorkbenchDatabase $database,
    ): void {
        $workbench = $this->workbenchOn($database);
        $workbench->artisan('workbench:posts');
        $workbench->artisan('workbench:posts');

        $response = $workbench->get('/pages/posts?page=2');
        $page = (string) $response->getContent();

        self::assertSame(200, $response->getStatusCode(), $workbench->log());
        // 6 and 12 are not published.
        self::assertSame(
            ['Post 7', 'Post 8', 'Post 9', 'Post 10', 'Post 11'],
            preg_match_all('~<h2>(.*)</h2>~', $page, $titles) > 0 ? $titles[1] : [],
        );
        self::assertStringContainsString('25. August 2025, vor 4 Monaten und 1 Woche', $page);
        self::assertStringContainsString('3 Kommentare Ada, Grace, Mary', $page);
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_notification_and_a_job_are_kept_with_each_request(WorkbenchDatabase $database): void
    {
        $workbench = $this->workbenchOn($database);

        foreach (['/pages/notify', '/pages/queue', '/pages/notify', '/pages/queue'] as $page) {
            self::assertSame(200, $workbench->get($page)->getStatusCode(), $workbench->log());
        }

        $kept = static fn (): array => [count($workbench->rows('notifications')), count($workbench->rows('jobs'))];
        self::assertSame([2, 2], $kept());
        $workbench->artisan('workbench:reset');
        self::assertSame([0, 0], $kept());
    }

    private function workbenchOn(WorkbenchDatabase $database): WorkbenchApplication
    {
        return $this->workbench = WorkbenchApplication::boot($database->environment())->migrate();
    }
}
