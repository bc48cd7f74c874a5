<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Worker\FailureLog;
use Headroom\Tests\Fault\Support\FlowTestCase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * A sink that says when to come again. Each flush is a process of its own; only the test moves the clock.
 */
final class RetryLaterTest extends FlowTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->setClock(0);
    }

    #[Test, Group('day-2')]
    public function no_flush_tries_before_that_time_and_the_next_one_does(): void
    {
        $this->append(['later 3600'], 'each');
        self::assertSame('Come again in 3600 s.', $this->flushedInTurn('each')['failure']);
        $this->repair();

        foreach ([1, 1800, 3599] as $second) {
            $this->setClock($second);
            self::assertSame((self::NOW + 3600) * 1_000_000, $this->flushedInTurn('each')['waits until']);
        }

        self::assertCount(1, $this->world->deliveries());
        self::assertStringContainsString('Come again in 3600 s.', $this->world->status('each')->flush->trouble ?? '');
        $this->setClock(3600);
        self::assertSame(1, $this->flushedInTurn('each')['delivered']);
        self::assertNull($this->world->status('each')->flush->trouble);
    }

    #[Test]
    public function a_sink_that_asks_for_days_is_tried_after_one_and_logged(): void
    {
        $this->append(['later 259200'], 'each');
        $runtime = $this->world->runtime($this->world->clock());
        $report = $runtime->flusher()->flush('each');
        (new FailureLog($runtime))->note($report);
        self::assertMatchesRegularExpression(
            "/^warning: .*'each'.*\b259200\b.*\b86400\b/m",
            implode("\n", $this->world->logged()),
        );

        $this->setClock(86_399);
        self::assertNotNull($this->flushedInTurn('each')['waits until']);
        $this->setClock(86_400);
        self::assertNull($this->flushedInTurn('each')['waits until']);
    }

    #[Test]
    public function a_clock_set_back_makes_the_next_try_neither_early_nor_days_late(): void
    {
        $this->append(['later 3600'], 'each');
        $this->flushedInTurn('each');
        $this->setClock(-120);
        self::assertNotNull($this->flushedInTurn('each')['waits until']);
        $this->setClock(-86_400);
        self::assertNull($this->flushedInTurn('each')['waits until']);
    }

    #[Test]
    public function a_flush_with_now_does_not_wait(): void
    {
        $this->append(['later 3600'], 'each');
        $this->flushedInTurn('each');
        $this->repair();

        self::assertSame(1, $this->flushed('each')['delivered']);
    }
}
