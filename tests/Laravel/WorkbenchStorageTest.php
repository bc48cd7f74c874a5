<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use FilesystemIterator;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

final class WorkbenchStorageTest extends TestCase
{
    private WorkbenchApplication $workbench;

    protected function setUp(): void
    {
        $this->workbench = WorkbenchApplication::boot();
    }

    protected function tearDown(): void
    {
        $this->workbench->shut();
    }

    #[Test]
    public function nothing_is_written_into_the_checkout(): void
    {
        $before = $this->checkout();

        $this->workbench->migrate();
        $this->workbench->postJson('/events/sync', WorkbenchEvent::json());
        $this->workbench->get('/');
        $this->workbench->artisanProcess('optimize');
        $this->workbench = $this->workbench->reboot();
        $this->workbench->postJson('/events/sync', WorkbenchEvent::json());

        self::assertSame($before, $this->checkout());
        self::assertFileExists($this->workbench->storage.'/database.sqlite');
    }

    #[Test]
    public function the_application_serves_from_cached_configuration_and_routes(): void
    {
        $this->workbench->migrate();
        $this->workbench->artisanProcess('config:cache');
        $this->workbench->artisanProcess('route:cache');

        $this->workbench = $this->workbench->reboot();

        self::assertTrue($this->workbench->app->configurationIsCached());
        self::assertTrue($this->workbench->app->routesAreCached());
        self::assertSame(
            202,
            $this->workbench->postJson('/events/sync', WorkbenchEvent::json())->getStatusCode(),
            $this->workbench->log(),
        );
        self::assertSame(
            202,
            $this->workbench->postJson('/events/buffered', WorkbenchEvent::json())->getStatusCode(),
            $this->workbench->log(),
        );
        self::assertCount(1, $this->workbench->rows('page_views'));
    }

    #[Test]
    public function the_key_is_made_at_the_first_run_and_kept(): void
    {
        $first = $this->workbench->config('app.key');
        $this->workbench = $this->workbench->reboot();

        self::assertIsString($first);
        self::assertSame(32, strlen((string) base64_decode(substr($first, strlen('base64:')), true)));
        self::assertSame($first, $this->workbench->config('app.key'));
        self::assertSame(0o600, fileperms($this->workbench->storage.'/app.key') & 0o777);
        self::assertSame([$this->workbench->storage.'/app.key'], glob($this->workbench->storage.'/app.key*'));
    }

    #[Test]
    public function a_child_process_runs_on_the_same_laravel_as_this_one(): void
    {
        self::assertStringContainsString(
            $this->workbench->app->version(),
            $this->workbench->artisanProcess('--version'),
        );
    }

    /** @return array<string, int> size of each file of the workbench */
    private function checkout(): array
    {
        $files = [];
        $tree = new RecursiveDirectoryIterator(WorkbenchApplication::ROOT, FilesystemIterator::SKIP_DOTS);

        foreach (new RecursiveIteratorIterator($tree) as $file) {
            if ($file instanceof SplFileInfo) {
                $files[$file->getPathname()] = $file->getSize();
            }
        }

        ksort($files);

        return $files;
    }
}
