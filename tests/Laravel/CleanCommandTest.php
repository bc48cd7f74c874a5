<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Cli\Spool\CleanCommand;
use Headroom\Cli\Spool\FlushCommand;
use Headroom\Tests\Laravel\Support\Spool;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class CleanCommandTest extends TestCase
{
    private Spool $spool;

    protected function setUp(): void
    {
        $this->spool = new Spool;

        for ($i = 0; $i < 3; $i++) {
            $this->spool->add(1);
            $this->spool->run(FlushCommand::class);
        }
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }

    #[Test]
    public function it_keeps_what_was_delivered_a_moment_ago(): void
    {
        self::assertSame("api-events: 0 segments removed\n", $this->spool->run(CleanCommand::class)->out);
    }

    #[Test]
    public function it_removes_what_is_old_enough_but_the_newest_and_never_what_is_pending(): void
    {
        $this->spool->add(1);

        self::assertSame("api-events: 2 segments removed\n", $this->spool->run(CleanCommand::class, ['--older-than' => '0'])->out);
        $this->spool->run(FlushCommand::class);
        self::assertSame(4, $this->spool->count());
    }

    #[Test]
    public function a_bucket_that_is_being_flushed_is_left_alone(): void
    {
        $claim = $this->spool->runtime()->store()->claim('api-events');
        self::assertNotNull($claim);

        self::assertSame("api-events: another process is flushing it\n", $this->spool->run(CleanCommand::class, ['--older-than' => '0'])->out);
    }

    #[Test]
    public function a_wrong_number_is_wrong_usage(): void
    {
        $cleaned = $this->spool->run(CleanCommand::class, ['--older-than' => '1h']);

        self::assertSame([2, "--older-than is '1h'. It must be a whole number from 0 to 999999999999.\n"], [$cleaned->exit, $cleaned->err]);
    }
}
