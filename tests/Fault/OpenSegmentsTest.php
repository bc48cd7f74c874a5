<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Buffer;
use Headroom\Tests\Fault\Support\CallingCheckpoint;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\SetClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use RuntimeException;
use Throwable;

/**
 * Several buckets in one scope: what one keeps open while only others are written to.
 */
final class OpenSegmentsTest extends FaultTestCase
{
    private SetClock $clock;

    private bool $armed = false;

    protected function setUp(): void
    {
        parent::setUp();
        $this->clock = new SetClock(1_700_000_000_000_000);
    }

    #[Test]
    #[TestWith([1_000_000])]
    #[TestWith([-3_600_000_000])]
    public function a_slot_is_given_back_after_a_second_of_writes_to_another_bucket(int $micros): void
    {
        $buffer = $this->buffer();
        $buffer->keepSegmentsOpen();
        $this->world->append(['1', '2'], buffer: $buffer);
        $this->clock->micros += abs($micros) - 1;
        $this->world->append(['other 1'], 'lines', $buffer);
        self::assertSame($micros < 0 ? [] : ['events'], $this->keptBuckets(), 'Not before.');

        if ($micros < 0) {
            $this->world->append(['3', '4'], buffer: $buffer);
            self::assertSame(['events'], $this->keptBuckets());
        }

        $this->clock->micros += $micros < 0 ? $micros : 1;
        $this->world->append(['other 2'], 'lines', $buffer);
        self::assertSame(['lines'], $this->keptBuckets());

        $buffer->closeSegments();
        self::assertSame([], $this->keptBuckets());
    }

    #[Test]
    public function two_buckets_in_a_busy_loop_leave_each_slot_free_for_a_second(): void
    {
        $buffer = $this->buffer();
        $buffer->keepSegmentsOpen();
        $this->world->append(['1', '2'], 'lines', $buffer);
        $this->world->append(['1', '2'], buffer: $buffer);

        for ($n = 3; $n <= 6; $n++) {
            $this->clock->micros += 1_000_000;
            // It is this one that gives back the other's slot.
            $this->world->append([(string) $n], 'lines', $buffer);
            $this->world->append([(string) $n], buffer: $buffer);
            self::assertSame(
                $n === 3 ? 2 : 1,
                $this->child('flush')->result()['delivered'],
                'What was given back is sealed while the next slot is held.',
            );
        }

        $buffer->closeSegments();
        $this->flush();
        $this->assertDeliveredOnce(['1', '2', '3', '4', '5', '6']);
    }

    #[Test]
    public function of_many_buckets_in_one_scope_the_last_sixteen_are_kept(): void
    {
        $buffer = $this->buffer();
        $buffer->keepSegmentsOpen();

        for ($n = 1; $n <= 40; $n++) {
            $this->world->append(['1', '2'], "bucket-{$n}", $buffer);
        }

        self::assertEqualsCanonicalizing(
            array_map(static fn (int $n): string => "bucket-{$n}", range(25, 40)),
            $this->keptBuckets(),
        );

        // The scope goes on: a bucket whose segment was closed keeps one again from its next event on.
        $this->world->append(['3'], 'bucket-1', $buffer);
        self::assertContains('bucket-1', $this->keptBuckets());
        self::assertCount(16, $this->keptBuckets());

        $buffer->closeSegments();
        self::assertSame([], $this->keptBuckets());
    }

    #[Test]
    public function buffers_that_are_dropped_without_being_released_leave_nothing_behind(): void
    {
        for ($n = 1; $n <= 100; $n++) {
            $buffer = $this->buffer();
            $buffer->keepSegmentsOpen();
            $this->world->append(['1', '2'], buffer: $buffer);
            unset($buffer);
        }

        self::assertSame([], $this->keptBuckets());
    }

    #[Test]
    #[TestWith(['slot.locked', false])]
    #[TestWith(['slot.locked', true])]
    #[TestWith(['node.opened', false])]
    public function a_kept_exception_does_not_keep_the_slot(string $point, bool $keeps): void
    {
        $ignore = ini_set('zend.exception_ignore_args', '0');
        $buffer = $this->buffer(new CallingCheckpoint(function (string $reached) use ($point): void {
            // A signal handler that ends a job after its timeout does the same.
            if ($this->armed && $reached === $point) {
                throw new RuntimeException('The time is over.');
            }
        }));

        if ($keeps) {
            $buffer->keepSegmentsOpen();
            $this->world->append(['1'], buffer: $buffer);
        }

        $this->armed = true;
        $kept = null;

        try {
            $this->world->append(['broken off'], buffer: $buffer);
        } catch (Throwable $e) {
            $kept = $e;
        } finally {
            ini_set('zend.exception_ignore_args', (string) $ignore);
        }

        self::assertInstanceOf(RuntimeException::class, $kept);
        self::assertSame([], $this->keptBuckets());

        $this->armed = false;
        $this->world->append(['2', '3'], buffer: $buffer);
        $buffer->closeSegments();
        $this->flush();
        $this->assertDeliveredOnce($keeps ? ['1', '2', '3'] : ['2', '3']);
    }

    private function buffer(?CallingCheckpoint $checkpoint = null): Buffer
    {
        return $this->world->buffer($checkpoint, $this->clock);
    }

    /** @return list<string> buckets of which this process has a slot open and locked, as the kernel sees it */
    private function keptBuckets(): array
    {
        $names = [];
        $descriptors = scandir('/proc/self/fd');

        foreach ($descriptors === false ? [] : $descriptors as $descriptor) {
            $path = (string) @readlink("/proc/self/fd/{$descriptor}");

            if (
                preg_match('~^'.preg_quote($this->world->directory, '~').'/buffer/buckets/([^/]+)/active/~', $path, $m)
                === 1
            ) {
                self::assertTrue(self::isLocked($path));
                $names[] = $m[1];
            }
        }

        return $names;
    }
}
