<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Http\Dashboard\Data\NowCache;
use Headroom\Laravel\Http\Dashboard\Data\NowDocument;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryWriter;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\ConfigReader;
use Headroom\Tests\Laravel\Support\DashboardTestCase;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Illuminate\Database\DatabaseManager;
use Illuminate\Filesystem\Filesystem;
use LogicException;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * What the page is told of real buckets.
 */
final class DashboardDataTest extends DashboardTestCase
{
    #[Test]
    public function a_bucket_is_told_from_its_first_event_to_its_delivery(): void
    {
        $this->boot()->migrate();
        $this->open();
        self::assertSame('ok', $this->bucket('page_visits')['state']);
        self::assertNull(self::list($this->json('now'), 'node')['id']);
        self::assertDirectoryDoesNotExist($this->spool()->config()->path);

        $this->buffer('page_visits', ...array_fill(0, 3, ['nocolumn' => 'x']));
        $this->buffer('audit', ['line' => 'one'], ['line' => 'two']);
        $this->fresh();
        self::assertSame(['waiting', 2, 0], $this->members('audit', 'state', 'pending', 'delivered'));
        $this->app()->artisan('spool:flush', ['--bury' => true]);
        $this->fresh();
        self::assertSame(['ok', 0, 2], $this->members('audit', 'state', 'pending', 'delivered'));
        self::assertSame([0, 3, 3], $this->members('page_visits', 'pending', 'dead', 'letters'));
        $totals = self::list($this->json('now'), 'totals');
        self::assertSame([5, 2, 3, 0, 3], [
            $totals['accepted'], $totals['delivered'], $totals['dead'], $totals['pending'], $totals['letters'],
        ]);
        [$problems] = $this->members('page_visits', 'problems');
        self::assertIsArray($problems);
        self::assertIsArray($problems[0]);
        self::assertSame('warning', $problems[0]['severity']);
        self::assertIsString($problems[0]['fix']);
        self::assertStringContainsString('`php artisan spool:failed page_visits`', $problems[0]['fix']);
        self::assertIsArray($this->json('now')['flush']);
        self::assertSame('scheduled every minute', $this->json('now')['flush']['schedule']);
    }

    #[Test]
    public function a_failing_sink_is_failing_and_after_five_failures_stopped(): void
    {
        $this->boot()->migrate();
        $this->open();
        $this->app()->app->make(DatabaseManager::class)->connection()->statement('drop table page_visits');
        $this->buffer('page_visits', ['url' => '/']);
        $flush = fn (): string => $this->app()->artisan('spool:flush', ['bucket' => 'page_visits', '--now' => true], 1);
        $flush();
        $this->fresh();
        self::assertSame(['failing'], $this->members('page_visits', 'state'));
        array_map(static fn (): string => $flush(), range(2, 5));
        $this->fresh();
        self::assertSame(['stopped'], $this->members('page_visits', 'state'));
    }

    #[Test]
    public function a_bucket_without_a_declaration_and_a_late_one_say_so(): void
    {
        $this->boot();
        $this->open();
        $this->buffer('forgotten', ['a' => 1]);
        $this->buffer('logs', ['a' => 1]);
        $this->fresh();
        self::assertSame(['undeclared', null], $this->members('forgotten', 'state', 'sink'));
        self::assertSame(['waiting'], $this->members('logs', 'state'));
        $clock = new SteppingClock;
        $clock->sleep(600_000_000);
        $late = (new NowDocument($this->at($clock)))->toArray();
        self::assertSame('late', array_column(self::list($late, 'buckets'), 'state', 'bucket')['logs']);
        self::assertContains('nothing_delivers', array_column(self::list($late, 'alerts'), 'cause'));
    }

    #[Test]
    public function a_saved_fork_is_forked_without_asking_the_ledger(): void
    {
        $this->boot()->migrate();
        $this->open();
        $flush = fn (int $exit): string => $this->app()->artisan('spool:flush', ['bucket' => 'page_visits'], $exit);
        $this->buffer('page_visits', ['nocolumn' => '1']);
        $this->app()->artisan('spool:flush', ['bucket' => 'page_visits', '--bury' => true]);
        $root = $this->spool()->config()->path;
        // The disk is set back, and goes on in another way than the ledger saw.
        (new Filesystem)->copyDirectory($root, "{$root}-copy");
        $this->buffer('page_visits', ['nocolumn' => '2']);
        $this->app()->artisan('spool:flush', ['bucket' => 'page_visits', '--bury' => true]);
        (new Filesystem)->deleteDirectory($root);
        rename("{$root}-copy", $root);
        $this->buffer('page_visits', ['nocolumn' => 'other'], ['nocolumn' => 'others']);
        $flush(1);
        $this->app()->app->make(DatabaseManager::class)->purge();
        $this->set('database.connections.sqlite.database', '/nowhere');
        $this->fresh();

        self::assertSame(['forked'], $this->members('page_visits', 'state'));
        self::assertContains('fork', array_column(self::list($this->json('now'), 'alerts'), 'cause'));
    }

    #[Test]
    public function a_damaged_state_file_and_ring_hide_no_other_bucket(): void
    {
        $this->boot();
        $this->open();
        $this->buffer('audit', ['a' => 1]);
        $this->buffer('logs', ['a' => 1]);
        $this->app()->artisan('spool:flush', ['bucket' => 'audit']);
        $layout = $this->spool()->store()->layout('audit');
        $history = $this->spool()->historyOf('audit');
        HistoryWriter::open($history, $this->spool()->clock())?->addFailure(1, 'it was down');
        self::assertCount(1, self::list($this->json('buckets/audit'), 'failures'));
        file_put_contents($history->path, random_bytes(HistoryFile::BYTES));
        file_put_contents($layout->stateFile, random_bytes(max(1, (int) filesize($layout->stateFile))));
        $this->fresh();

        self::assertSame(['error'], $this->members('audit', 'state'));
        self::assertSame(['waiting', 1], $this->members('logs', 'state', 'pending'));
        self::assertSame(200, $this->data('history?bucket=audit&minutes=60')->getStatusCode());
        self::assertSame([], $this->json('buckets/audit')['failures']);
    }

    #[Test]
    #[TestWith([60, 1, 60])]
    #[TestWith([360, 1, 360])]
    #[TestWith([1440, 5, 288])]
    public function history_has_one_entry_a_step(int $minutes, int $step, int $entries): void
    {
        $this->boot();
        $this->open();
        $this->buffer('audit', ['a' => 1], ['a' => 2]);
        $this->app()->artisan('spool:flush', ['bucket' => 'audit']);
        $history = $this->json("history?bucket=audit&minutes={$minutes}");
        self::assertIsInt($history['to']);
        self::assertSame([$history['to'] - $minutes, $step], [$history['from'], $history['step']]);
        $audit = self::list(self::list($history, 'buckets'), 'audit');
        self::assertArrayHasKey('delivery_ms', $audit);

        foreach ($audit as $name => $values) {
            self::assertIsArray($values);
            self::assertCount($entries, $values, $name);
        }

        foreach (['61', '60abc', '060', ' 60', '6e1', ''] as $minutes) {
            self::assertSame(400, $this->data('history?minutes='.rawurlencode($minutes))->getStatusCode(), $minutes);
        }

        self::assertSame(404, $this->data('history?bucket=nowhere')->getStatusCode());
    }

    #[Test]
    public function the_history_of_all_buckets_is_one_sum(): void
    {
        $this->boot()->migrate();
        $this->open();

        foreach (['audit' => 2, 'page_visits' => 3] as $bucket => $events) {
            $this->buffer($bucket, ...array_fill(0, $events, ['url' => '/']));
            $this->app()->artisan('spool:flush', ['bucket' => $bucket, '--bury' => true]);
        }

        $names = ['pending', 'flushes', 'failed', 'batches'];
        $expected = array_fill_keys($names, 0);

        foreach (['audit', 'page_visits'] as $bucket) {
            $one = self::list(self::list($this->json("history?bucket={$bucket}&minutes=60"), 'buckets'), $bucket);

            foreach ($names as $name) {
                $expected[$name] += array_sum(self::list($one, $name));
            }
        }

        $buckets = self::list($this->json('history?minutes=60'), 'buckets');
        self::assertSame(['*'], array_keys($buckets));
        $all = self::list($buckets, '*');
        self::assertGreaterThan(1, $expected['flushes']);
        self::assertSame($expected, array_combine($names, array_map(
            static fn (string $name): int|float => array_sum(self::list($all, $name)),
            $names,
        )));
        self::assertCount(60, self::list($all, 'accepted'));
        self::assertNull(self::list($all, 'accepted')[0]);
    }

    #[Test]
    public function an_unknown_bucket_is_not_found(): void
    {
        $this->open();

        foreach (['nowhere', '..%2Flogs', '%2e%2e', 'logs%00'] as $name) {
            foreach (['', '/dead', '/events'] as $part) {
                self::assertContains($this->data("buckets/{$name}{$part}")->getStatusCode(), [400, 404]);
            }
        }
    }

    #[Test]
    public function fifty_pages_cost_one_computation_and_a_clock_set_back_costs_another(): void
    {
        $clock = new SteppingClock;
        $path = sys_get_temp_dir().'/headroom-now-'.bin2hex(random_bytes(8)).'.json';
        $computed = 0;
        $get = function () use (&$computed, $path, $clock): string {
            return (new NowCache($path, $clock))->get('key', function () use (&$computed, $clock): string {
                $clock->sleep(500_000);

                return '{"n":'.(++$computed).'}';
            });
        };

        try {
            array_map(static fn (): string => $get(), range(1, 50));
            self::assertSame(1, $computed);
            // Ten times as long as it took.
            $clock->sleep(4_900_000);
            self::assertSame('{"n":1}', $get());
            $clock->sleep(200_000);
            self::assertSame('{"n":2}', $get());
            // Another process computes now.
            $lock = fopen("{$path}.lock", 'c');
            self::assertIsResource($lock);
            flock($lock, LOCK_EX);
            $clock->sleep(29_000_000);
            self::assertSame('{"n":2}', $get());
            $clock->sleep(2_000_000);
            self::assertSame('{"n":3}', $get());
            fclose($lock);
            // The clock is set back by an hour.
            $before = new SteppingClock;
            $before->sleep(-3_600_000_000);
            self::assertSame('{"n":"back"}', (new NowCache($path, $before))->get(
                'key',
                static fn (): string => '{"n":"back"}',
            ));
            // The numbers of 10,000 buckets with problems.
            $large = '{"n":"'.str_repeat('x', 10_000_000).'"}';
            $cache = new NowCache($path, $clock);
            $cache->forget();
            $cache->get('key', static fn (): string => $large);
            self::assertSame($large, $get());
            file_put_contents($path, substr((string) file_get_contents($path), 0, -1));
            self::assertSame('{"n":4}', $get());
            self::assertSame('{"n":5}', (new NowCache($path, $clock))->get('other', static fn (): string => '{"n":5}'));
            self::assertSame(0600, fileperms($path) & 0777);
        } finally {
            (new Filesystem)->delete((new Filesystem)->glob("{$path}*"));
        }
    }

    #[Test]
    public function a_directory_that_cannot_be_written_costs_only_the_cache(): void
    {
        $this->boot();
        $this->open();
        $path = $this->app()->app->storagePath(NowDocument::CACHE);
        mkdir($path);

        self::assertSame(200, $this->data('now')->getStatusCode());
        self::assertSame(200, $this->data('now')->getStatusCode());
    }

    private function at(SteppingClock $clock): SpoolServices
    {
        $config = (array) $this->app()->config('spool');

        return new SpoolServices(
            static fn (): AppendConfig => AppendConfig::fromArray($config),
            new Backends(static fn (): SinkFactory => new class implements SinkFactory
            {
                public function make(string $kind, ConfigReader $options): Sink
                {
                    throw new LogicException('No sink is asked.');
                }
            }),
            clock: $clock,
        );
    }

    /** Numbers are kept for a second. */
    private function fresh(): void
    {
        @unlink($this->app()->app->storagePath(NowDocument::CACHE));
    }

    /** @return list<mixed> */
    private function members(string $bucket, string ...$names): array
    {
        $values = $this->bucket($bucket);

        return array_map(static fn (string $name): mixed => $values[$name] ?? null, array_values($names));
    }
}
