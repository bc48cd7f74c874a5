<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Spool\BucketStatus;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Tests\Laravel\WorkbenchApplication;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Illuminate\Contracts\Config\Repository;

/**
 * The workbench on one of its databases, with buckets of a test's own. Call shut() in tearDown().
 */
final readonly class OnWorkbench
{
    private function __construct(public WorkbenchApplication $workbench) {}

    /**
     * @param ?array<string, mixed> $buckets null leaves the workbench's own
     * @param array<string, mixed> $settings of config/spool.php
     */
    public static function with(WorkbenchDatabase $database, ?array $buckets = null, array $settings = []): self
    {
        $on = new self(WorkbenchApplication::boot($database->environment()));
        $on->configure($buckets, $settings);
        $on->workbench->migrate();

        return $on;
    }

    /**
     * The same storage and database with other settings, as the next request has them.
     *
     * @param ?array<string, mixed> $buckets
     * @param array<string, mixed> $settings
     */
    public function again(?array $buckets = null, array $settings = []): self
    {
        $on = new self($this->workbench->reboot());
        $on->configure($buckets, $settings);

        return $on;
    }

    /**
     * @param ?array<string, mixed> $buckets
     * @param array<string, mixed> $settings
     */
    private function configure(?array $buckets, array $settings): void
    {
        $config = $this->workbench->app->make(Repository::class);
        $default = $config->get('database.default');

        // A second connection to the same database.
        $config->set(
            'database.connections.other',
            $config->get('database.connections.'.(is_string($default) ? $default : '')),
        );

        // Read when it is first used.
        foreach ([...($buckets === null ? [] : ['buckets' => $buckets]), ...$settings] as $key => $value) {
            $config->set("spool.{$key}", $value);
        }
    }

    public function shut(): void
    {
        $this->workbench->shut();
    }

    /** @return array<string, int> events that wait, by bucket, where there are any */
    public function pending(): array
    {
        return array_filter(
            array_map(static fn (BucketStatus $bucket): int => $bucket->events->pending, $this->status()),
            static fn (int $pending): bool => $pending > 0,
        );
    }

    /** @return array<string, BucketStatus> */
    public function status(): array
    {
        $buckets = $this->workbench->app->make(SpoolServices::class)->status()->buckets;

        return array_combine(
            array_map(static fn (BucketStatus $bucket): string => $bucket->bucket, $buckets),
            $buckets,
        );
    }
}
