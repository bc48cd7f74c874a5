<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Dev\Delay;

use Headroom\Dev\Delay\Pipe;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PipeTest extends TestCase
{
    #[Test]
    public function bytes_stay_inside_until_they_are_released_and_keep_their_order(): void
    {
        [$pipe, $sender, $receiver] = self::pipe();

        fwrite($sender, 'one ');
        self::assertTrue($pipe->read());
        fwrite($sender, 'two');
        self::assertTrue($pipe->read());
        self::assertSame('', stream_get_contents($receiver));

        self::assertTrue($pipe->release());
        self::assertSame('one ', stream_get_contents($receiver));
        self::assertTrue($pipe->release());
        self::assertSame('two', stream_get_contents($receiver));
    }

    #[Test]
    public function the_end_comes_after_the_bytes_and_closes_one_direction_only(): void
    {
        [$pipe, $sender, $receiver] = self::pipe();
        fwrite($sender, 'last');
        stream_socket_shutdown($sender, STREAM_SHUT_WR);

        self::assertTrue($pipe->read());
        self::assertTrue($pipe->read());
        self::assertNull($pipe->wantsToRead());
        self::assertFalse($pipe->isFinished());
        $pipe->release();
        self::assertFalse(feof($receiver));
        $pipe->release();

        self::assertTrue($pipe->isFinished());
        self::assertSame('last', stream_get_contents($receiver));
        self::assertTrue(feof($receiver));
        self::assertSame(5, fwrite($receiver, 'still'));
    }

    #[Test]
    public function a_receiver_that_does_not_take_its_bytes_stops_the_sender(): void
    {
        [$pipe, $sender, $receiver] = self::pipe();
        $sent = 0;
        $held = 0;

        for ($turn = 0; $turn < 10_000 && $pipe->wantsToRead() !== null; $turn++) {
            $sent += (int) fwrite($sender, str_repeat((string) ($turn % 10), 65_536));
            $held += $pipe->read() ? 1 : 0;
        }

        self::assertNull($pipe->wantsToRead());
        self::assertGreaterThanOrEqual(1_048_576, $sent);

        $arrived = '';

        for (; $held > 0; $held--) {
            self::assertTrue($pipe->release());
        }

        $writes = 0;

        for (; $pipe->wantsToWrite() !== null; $writes++) {
            $arrived .= stream_get_contents($receiver);
            self::assertTrue($pipe->write());
        }

        self::assertGreaterThan(0, $writes);

        $arrived .= stream_get_contents($receiver);
        self::assertGreaterThanOrEqual(1_048_576, strlen($arrived));
        self::assertNotNull($pipe->wantsToRead());
    }

    #[Test]
    public function bytes_that_are_due_before_the_target_answers_wait_for_it(): void
    {
        [$source, $sender] = self::pair();
        [$target, $receiver] = self::pair();
        $pipe = new Pipe;
        $pipe->from($source);
        fwrite($sender, 'early');
        $pipe->read();

        self::assertTrue($pipe->release());
        self::assertNull($pipe->wantsToWrite());
        $pipe->to($target);
        self::assertTrue($pipe->write());
        self::assertSame('early', stream_get_contents($receiver));
    }

    #[Test]
    public function a_receiver_that_went_away_is_noticed(): void
    {
        [$pipe, $sender, $receiver] = self::pipe();
        fwrite($sender, 'no reader');
        $pipe->read();
        fclose($receiver);

        self::assertFalse($pipe->release());
    }

    /** @return array{Pipe, resource, resource} */
    private static function pipe(): array
    {
        [$source, $sender] = self::pair();
        [$target, $receiver] = self::pair();
        $pipe = new Pipe;
        $pipe->from($source);
        $pipe->to($target);

        return [$pipe, $sender, $receiver];
    }

    /** @return array{resource, resource} */
    private static function pair(): array
    {
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
        self::assertIsArray($pair);

        foreach ($pair as $stream) {
            stream_set_blocking($stream, false);
            stream_set_read_buffer($stream, 0);
        }

        return [$pair[0], $pair[1]];
    }
}
