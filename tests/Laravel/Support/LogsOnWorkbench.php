<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Tests\Laravel\WorkbenchDatabase;
use Illuminate\Contracts\Config\Repository;

/**
 * The log channel `spool` of the workbench, and PHP's own error log in a file of its own.
 */
trait LogsOnWorkbench
{
    private ?OnWorkbench $on = null;

    private ?ScratchApplication $app = null;

    private string $errors = '';

    private string $errorsBefore = '';

    protected function setUp(): void
    {
        $this->errors = (string) tempnam(sys_get_temp_dir(), 'headroom-errors');
        $this->errorsBefore = (string) ini_set('error_log', $this->errors);
    }

    protected function tearDown(): void
    {
        ini_set('error_log', $this->errorsBefore);
        unlink($this->errors);
        $this->on?->shut();
        $this->app?->remove();
    }

    /**
     * @param ?array<string, mixed> $buckets
     * @param array<string, mixed> $settings
     * @param array<string, mixed> $channel
     */
    private function on(?array $buckets = null, array $settings = [], array $channel = []): OnWorkbench
    {
        $this->on = OnWorkbench::with(WorkbenchDatabase::Sqlite, $buckets, $settings);
        $config = $this->on->workbench->app->make(Repository::class);
        $config->set('logging.channels.spool', [...(array) $config->get('logging.channels.spool'), ...$channel]);

        return $this->on;
    }

    private function errors(): string
    {
        return (string) file_get_contents($this->errors);
    }
}
