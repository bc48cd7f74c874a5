<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use ArrayObject;
use Headroom\Spool\Buffer;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\CallingCheckpoint;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\SetClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use RuntimeException;

/**
 * A slot that stays open and locked between two appends, and all who could inherit it.
 */
final class OpenSegmentTest extends FaultTestCase
{
    #[Test]
    public function a_kept_slot_is_given_back_after_a_second(): void
    {
        $clock = new SetClock(1_700_000_000_000_000);
        /** @var ArrayObject<int, string> $seen */
        $seen = new ArrayObject;
        $buffer = $this->world->buffer(new CallingCheckpoint(function (string $point) use ($seen): void {
            if ($point === 'slot.opened') {
                $seen[] = self::isLocked($this->slot()) ? 'locked' : 'free';
            }
        }), $clock);

        $buffer->keepSegmentsOpen();
        $this->world->append(['first', 'second'], buffer: $buffer);
        self::assertTrue(self::isLocked($this->slot()), 'The second append of a scope keeps its slot.');

        $clock->micros += 999_999;
        $this->world->append(['third'], buffer: $buffer);
        self::assertSame(['free', 'free'], $seen->getArrayCopy(), 'The third one needs no opening.');

        $clock->micros += 1;
        $this->world->append(['fourth'], buffer: $buffer);
        self::assertSame(['free', 'free', 'free'], $seen->getArrayCopy());

        $buffer->closeSegments();
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'third', 'fourth']);
    }

    #[Test]
    public function with_power_no_event_goes_to_a_kept_slot_that_was_removed(): void
    {
        $this->world = $this->world->withDurability('power');
        $buffer = $this->world->buffer();
        $buffer->keepSegmentsOpen();
        $this->world->append(['1', '2', '3'], buffer: $buffer);
        unlink($this->slot());
        $this->world->append(['4', '5'], buffer: $buffer);
        $buffer->closeSegments();
        $this->flush();
        $this->assertDeliveredOnce(['4', '5']);
    }

    #[Test]
    public function a_loop_that_never_rests_leaves_each_slot_free_for_a_second(): void
    {
        $clock = new SetClock(1_700_000_000_000_000);
        $buffer = $this->world->buffer(clock: $clock);
        $buffer->keepSegmentsOpen();
        $this->world->append(['1', '2'], buffer: $buffer);

        for ($n = 3; $n <= 6; $n++) {
            $clock->micros += 1_000_000;
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
    #[TestDox('clock jump')]
    public function a_clock_that_is_set_back_does_not_keep_a_slot_for_hours(): void
    {
        $clock = new SetClock(1_700_000_000_000_000);
        $opened = 0;
        $buffer = $this->world->buffer(new CallingCheckpoint(function (string $point) use (&$opened): void {
            $opened += $point === 'slot.opened' ? 1 : 0;
        }), $clock);

        $buffer->keepSegmentsOpen();
        $this->world->append(['first', 'second'], buffer: $buffer);
        $clock->micros -= 3_600_000_000;
        $this->world->append(['third'], buffer: $buffer);

        self::assertSame(3, $opened);
        $buffer->closeSegments();
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    #[Test]
    public function a_kept_slot_is_given_back_when_hold_ends(): void
    {
        $buffer = $this->world->buffer();
        $buffer->hold(function () use ($buffer): void {
            $this->world->append(['first', 'second'], buffer: $buffer);
            self::assertTrue(self::isLocked($this->slot()));
        });

        self::assertFalse(self::isLocked($this->slot()));
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function a_kept_slot_is_given_back_when_hold_is_left_by_an_exception(): void
    {
        $buffer = $this->world->buffer();

        try {
            $buffer->hold(function () use ($buffer): never {
                $this->world->append(['first', 'second'], buffer: $buffer);

                throw new RuntimeException('left');
            });
        } catch (RuntimeException $e) {
            self::assertSame('left', $e->getMessage());
        }

        self::assertFalse(self::isLocked($this->slot()));
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function events_after_a_broken_append_are_not_lost(): void
    {
        $result = $this->child('append broken off', ['before', 'broken off', 'after', 'later'])->result();
        $losses = array_values($this->flush()->losses);

        self::assertIsString($result['thrown']);
        self::assertCount(1, $losses);
        self::assertFalse(
            $losses[0]->isAlarming,
            'What is left of the event that was broken off was never acknowledged.',
        );
        $this->assertDeliveredOnce(['scope', 'before', 'after', 'later']);
    }

    #[Test]
    public function a_signal_handler_may_buffer_in_the_middle_of_an_append(): void
    {
        $result = $this->child('append under signals')->result();
        $report = $this->flush();

        self::assertSame([], $report->losses);
        self::assertSame($result['acknowledged'], $report->delivered);
        self::assertGreaterThan(100, $result['by signals']);
    }

    #[Test]
    public function a_process_seals_its_own_kept_slot(): void
    {
        $buffer = $this->keepingBuffer();
        $this->world->seal(buffer: $buffer);

        self::assertSame([], $this->slots());
        $this->world->append(['third'], buffer: $buffer);
        $buffer->closeSegments();
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }

    #[Test]
    public function a_sealer_leaves_a_kept_slot_for_the_next_round(): void
    {
        $writer = $this->child('append kept', ['first', 'second'], ['kept' => Act::Wait]);
        $writer->awaitPoint('kept');

        self::assertSame(0, $this->flush()->delivered);
        $writer->goOn();
        $writer->result();
        self::assertSame(2, $this->flush()->delivered);
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    public function a_writer_killed_while_it_keeps_a_slot_gives_it_back(): void
    {
        $writer = $this->child('append kept', ['first', 'second'], ['kept' => Act::Kill]);
        $writer->awaitKilled();

        self::assertSame(2, $this->flush()->delivered);
        $this->assertDeliveredOnce(['first', 'second']);
    }

    #[Test]
    #[TestDox('pcntl_fork() while a process holds an active segment')]
    public function a_fork_that_holds_a_slot_loses_nothing_on_either_side(): void
    {
        $result = $this->child('fork while holding')->result();

        self::assertSame(['child' => 0, 'locked' => true], $result, "The child's end must not free its parent's slot.");
        self::assertSame([], $this->flush()->losses);
        $this->assertDeliveredOnce(['parent 1', 'parent 2', 'parent 3', 'parent 4', 'child 1', 'child 2']);
    }

    #[Test]
    public function a_slot_that_its_owner_gives_back_is_free_while_a_child_lives(): void
    {
        self::assertSame(['locked' => false], $this->child('fork and outlive')->result());
        $this->flush();
        $this->assertDeliveredOnce(['parent 1', 'parent 2']);
    }

    #[Test]
    public function a_program_that_outlives_its_writer_does_not_hold_the_slot(): void
    {
        $this->child('die before the program it started')->awaitKilled();
        $program = (int) file_get_contents("{$this->world->directory}/program");

        try {
            self::assertTrue(posix_kill($program, 0), 'The program lives.');
            self::assertFalse(self::isLocked($this->slot()));
        } finally {
            posix_kill($program, SIGKILL);
        }

        $this->flush();
        $this->assertDeliveredOnce(['parent 1', 'parent 2']);
    }

    private function keepingBuffer(): Buffer
    {
        $buffer = $this->world->buffer();
        $buffer->keepSegmentsOpen();
        $this->world->append(['first', 'second'], buffer: $buffer);

        return $buffer;
    }

    private function slot(): string
    {
        return $this->world->layout()->active.'/u'.posix_geteuid().'-0000.log';
    }
}
