<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\CleanCommand;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

#[Group('snapshot')]
final class CleanCommandTest extends SpoolTestCase
{
    protected function setUp(): void
    {
        parent::setUp();

        for ($i = 0; $i < 3; $i++) {
            $this->spool->add(1);
            $this->spool->run(FlushCommand::class);
        }
    }

    #[Test]
    public function it_keeps_what_was_delivered_a_moment_ago(): void
    {
        $cleaned = $this->spool->run(CleanCommand::class);

        self::assertSame([0], $cleaned->numbers());
        self::assertStringStartsWith('api-events: 0 ', $cleaned->out);
    }

    #[Test]
    public function it_removes_what_is_old_enough_but_the_newest_and_never_what_is_pending(): void
    {
        $this->spool->add(1);

        $cleaned = $this->spool->run(CleanCommand::class, ['--older-than' => '0']);
        self::assertSame([2], $cleaned->numbers());
        Snapshot::assertPrinted('spool:clean', 'two segments are removed', $cleaned->out);
        $this->spool->run(FlushCommand::class);
        self::assertSame(4, $this->spool->count());
    }

    #[Test]
    public function a_bucket_that_is_being_flushed_is_left_alone(): void
    {
        $lease = $this->spool->runtime()->store()->claim('api-events');
        self::assertNotNull($lease);

        $completed = glob("{$this->spool->path}/buckets/api-events/completed/*");
        $cleaned = $this->spool->run(CleanCommand::class, ['--older-than' => '0']);
        self::assertSame([], $cleaned->numbers());
        self::assertSame($completed, glob("{$this->spool->path}/buckets/api-events/completed/*"));
        Snapshot::assertPrinted('spool:clean', 'another process flushes it', $cleaned->out);
    }

    #[Test]
    public function a_wrong_number_is_wrong_usage(): void
    {
        $cleaned = $this->spool->run(CleanCommand::class, ['--older-than' => '1h']);

        self::assertSame(2, $cleaned->exit);
        Sentence::assertNames(['--older-than', "'1h'", '0', '999999999999'], $cleaned->err);
    }
}
