<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process\Supervision;

use Headroom\Process\Supervision\Channel;
use Headroom\Process\Supervision\Message;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ChannelTest extends TestCase
{
    #[Test]
    public function messages_arrive_in_order_with_their_contents(): void
    {
        [$one, $other] = TestChannel::pair();
        $one->send('ready');
        $one->send('heartbeat', ['connections' => 3, 'text' => "two\nlines", 'bytes' => "\xff"]);

        self::assertEquals(
            [
                new Message('ready'),
                new Message('heartbeat', ['connections' => 3, 'text' => "two\nlines", 'bytes' => "\u{fffd}"]),
            ],
            $other->receive(),
        );
        self::assertSame([], $other->receive());
        $other->send('drain');
        self::assertEquals([new Message('drain')], $one->receive());
    }

    #[Test]
    public function a_message_is_received_once_it_is_whole_and_junk_is_skipped(): void
    {
        [$raw, $end] = $this->raw();
        fwrite($raw, "Warning: something\n[1]\n{\"type\":7}\n{\"type\":\"rea");
        self::assertSame([], $end->receive());
        fwrite($raw, "dy\"}\n");

        self::assertEquals([new Message('ready')], $end->receive());
    }

    #[Test]
    public function a_message_larger_than_the_buffer_of_the_kernel_arrives_whole(): void
    {
        [$one, $other] = TestChannel::pair();
        $text = str_repeat('0123456789', 300_000);
        $one->send('assignment', $text);
        self::assertTrue($one->isWaitingToSend());
        $received = [];

        for ($tries = 0; $tries < 1_000 && $received === []; $tries++) {
            $received = $other->receive();
            $one->flush();
        }

        self::assertEquals([new Message('assignment', $text)], $received);
        self::assertFalse($one->isWaitingToSend());
    }

    #[Test]
    public function the_last_messages_are_received_after_the_other_side_has_ended(): void
    {
        [$one, $other] = TestChannel::pair();
        self::assertFalse($other->isClosed());
        $one->send('result', 1);
        $one->close();

        self::assertTrue($other->isClosed());
        self::assertNull($other->stream());
        self::assertEquals([new Message('result', 1)], $other->receive());
        $other->send('stop');
        $other->flushAll();
        self::assertNull($other->next());
    }

    #[Test]
    public function the_next_message_leaves_those_behind_it(): void
    {
        [$one, $other] = TestChannel::pair();
        self::assertNull($other->next(0));
        $one->send('assignment');
        $one->send('drain');

        self::assertEquals([new Message('assignment'), [new Message('drain')]], [$other->next(), $other->receive()]);
    }

    #[Test]
    public function a_process_that_no_supervisor_has_started_has_no_channel(): void
    {
        self::assertNull(Channel::inherited());
    }

    /** @return array{resource, Channel} */
    private function raw(): array
    {
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        self::assertNotFalse($pair);

        return [$pair[0], Channel::over($pair[1])];
    }
}
