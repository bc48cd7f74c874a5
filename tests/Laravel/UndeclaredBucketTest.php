<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Facades\Buffer;
use Headroom\Laravel\Facades\FileSystemBuffer;
use Headroom\Spool\Health\DirectoryIsUnusable;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Tests\Laravel\Support\OnWorkbench;
use Illuminate\Contracts\Config\Repository;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * A bucket whose name may be mistyped: others are declared, and it is not.
 */
final class UndeclaredBucketTest extends TestCase
{
    private const BUCKETS = ['events' => ['sink' => 'memory'], 'empty' => null];

    private ?OnWorkbench $on = null;

    protected function tearDown(): void
    {
        $this->on?->shut();
    }

    /** @param array<string, mixed> $buckets */
    private function in(string $environment, array $buckets = self::BUCKETS): OnWorkbench
    {
        $this->on = OnWorkbench::with(WorkbenchDatabase::Sqlite, $buckets);
        $this->on->workbench->app->instance('env', $environment);

        return $this->on;
    }

    #[Test]
    #[TestWith(['local'])]
    #[TestWith(['testing'])]
    public function it_is_refused_in_development_and_tests(string $environment): void
    {
        $on = $this->in($environment);

        foreach ([
            fn () => Buffer::bucket('event'),
            fn () => Buffer::buffer(['n' => 1], 'event'),
            fn () => Buffer::direct()->bucket('event'),
            fn () => Buffer::afterCommit()->bucket('event'),
            fn () => Buffer::fake()->buffer()->bucket('event'),
        ] as $call) {
            try {
                $call();
                self::fail('It was taken.');
            } catch (InvalidBucket $e) {
                self::assertStringContainsString("'event'", $e->getMessage());
                self::assertStringContainsString('events, empty', $e->getMessage());
            }
        }

        self::assertSame([], $on->pending());
    }

    #[Test]
    public function a_name_that_is_not_allowed_is_refused_as_such(): void
    {
        $this->in('testing');
        $this->expectExceptionObject(InvalidBucket::name('../x'));

        Buffer::bucket('../x');
    }

    #[Test]
    public function elsewhere_its_events_are_kept_and_one_warning_an_hour_is_logged(): void
    {
        $on = $this->in('production');
        // The file that remembers the warning is in the directory that the first event makes.
        Buffer::bucket('events')->add(['n' => 0]);
        Buffer::bucket('event')->add(['n' => 1]);
        Buffer::bucket('event')->add(['n' => 2]);
        $again = $this->on = $on->again(self::BUCKETS);
        $again->workbench->app->instance('env', 'production');
        Buffer::bucket('event')->add(['n' => 3]);
        Buffer::bucket('other')->add(['n' => 4]);

        self::assertSame(['event' => 3, 'events' => 1, 'other' => 1], $again->pending());
        preg_match_all("/WARNING: spool: Bucket '(\w+)' is not declared/", $again->workbench->log(), $warnings);
        self::assertSame(['event', 'other'], $warnings[1]);
    }

    #[Test]
    public function health_knows_the_file_that_remembers_the_warning(): void
    {
        $on = $this->in('production');
        Buffer::bucket('events')->add(['n' => 0]);
        Buffer::bucket('event')->add(['n' => 1]);
        $store = $on->workbench->app->make(SpoolServices::class)->store();

        self::assertFileExists("{$store->root}/undeclared");
        self::assertSame([], (new DirectoryIsUnusable($store))->findings());
    }

    #[Test]
    public function a_log_that_is_an_undeclared_bucket_does_not_go_in_circles(): void
    {
        $on = $this->in('production');
        $config = $on->workbench->app->make(Repository::class);
        $config->set('logging.default', 'spool');
        $config->set('logging.channels.spool', ['driver' => 'spool', 'bucket' => 'lines']);
        Buffer::bucket('event')->add(['n' => 1]);

        self::assertSame(['event' => 1, 'lines' => 1], $on->pending());
    }

    #[Test]
    public function what_callbacks_deliver_and_the_default_bucket_need_no_declaration(): void
    {
        $on = $this->in('testing');
        Buffer::buffer(['n' => 1]);
        Buffer::bucket('empty')->add(['n' => 2]);
        FileSystemBuffer::buffer(['n' => 3], 'mine');
        FileSystemBuffer::bucket('yours')->add(['n' => 4]);

        self::assertSame(['default' => 1, 'empty' => 1, 'mine' => 1, 'yours' => 1], $on->pending());
    }

    #[Test]
    public function where_no_bucket_is_declared_each_is_taken(): void
    {
        $on = $this->in('local', []);
        Buffer::bucket('event')->add(['n' => 1]);

        self::assertSame(['event' => 1], $on->pending());
    }
}
