<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Laravel\Schedule\LastFlush;
use Headroom\Spool\FileStore\Layout;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * "Last flush" in php artisan about.
 */
final class LastFlushTest extends SpoolTestCase
{
    private function words(): string
    {
        return (new LastFlush($this->spool->runtime()))->words();
    }

    #[Test]
    public function it_is_never_until_a_flush_has_looked_at_a_bucket(): void
    {
        self::assertSame('never; nothing has been buffered yet', $this->words());
        self::assertDirectoryDoesNotExist($this->spool->path);

        $this->spool->add(1);
        self::assertSame('never', $this->words());

        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertMatchesRegularExpression('/\A\d+ s ago\z/', $this->words());
    }

    #[Test]
    public function a_flush_without_events_counts_and_so_does_one_that_fails(): void
    {
        $this->spool->add(1);
        $this->spool->database()->statement('alter table spool_ledger rename to elsewhere');
        self::assertSame(1, $this->spool->run(FlushCommand::class)->exit);
        self::assertMatchesRegularExpression('/\A\d+ s ago\z/', $this->words());

        $this->spool->database()->statement('alter table elsewhere rename to spool_ledger');
        self::assertSame(0, $this->spool->run(FlushCommand::class, ['--now' => true])->exit);
        touch((new Layout($this->spool->path, 'api-events'))->flushLock, time() - 7200);
        self::assertStringContainsString('2 h', $this->words());
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertMatchesRegularExpression('/\A\d+ s ago\z/', $this->words());
    }

    #[Test]
    public function the_latest_flush_of_all_declared_buckets_is_shown(): void
    {
        $this->spool->buckets['other'] = ['sink' => 'memory'];
        $this->spool->add(1);
        $this->spool->add(1, 'other');
        $this->spool->run(FlushCommand::class, ['bucket' => 'other']);
        self::assertMatchesRegularExpression('/\A\d+ s ago\z/', $this->words());

        unset($this->spool->buckets['other']);
        self::assertSame('never', $this->words());
    }

    #[Test]
    public function a_damaged_state_and_a_future_time_are_no_error(): void
    {
        $this->spool->add(1);
        $this->spool->run(FlushCommand::class);
        $layout = new Layout($this->spool->path, 'api-events');
        touch($layout->flushLock, time() + 7200);
        self::assertSame('0 s ago', $this->words());

        file_put_contents($layout->stateFile, str_repeat("\0", 8192));
        self::assertStringStartsWith('unknown: ', $this->words());

        $this->spool->settings['retention'] = -1;
        self::assertStringStartsWith('unknown: ', $this->words());
    }
}
