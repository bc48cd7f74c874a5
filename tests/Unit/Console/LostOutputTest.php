<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console;

use Headroom\Console\LostOutput;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Output\StreamOutput;

final class LostOutputTest extends TestCase
{
    #[Test]
    public function a_full_disk_is_reported_once(): void
    {
        $output = self::streamOutput('/dev/full');

        self::assertSame(['No space left on device'], LostOutput::during(static function () use ($output): void {
            $output->writeln('one');
            $output->writeln('two');
        }));
    }

    #[Test]
    public function written_output_and_a_reader_that_has_closed_the_pipe_are_no_loss(): void
    {
        $written = self::streamOutput('php://memory');
        self::assertSame([], LostOutput::during(static fn () => $written->writeln('one')));

        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
        self::assertIsArray($pair);
        [$reader, $writer] = $pair;
        fclose($reader);
        $closed = new StreamOutput($writer);
        self::assertSame([], LostOutput::during(static fn () => $closed->writeln('one')));
    }

    #[Test]
    public function other_warnings_reach_the_handler_that_was_set_before(): void
    {
        $seen = [];
        set_error_handler(static function (int $level, string $message) use (&$seen): bool {
            $seen[] = $message;

            return true;
        });

        try {
            $lost = LostOutput::during(static function (): void {
                trigger_error('something else', E_USER_WARNING);
            });
        } finally {
            restore_error_handler();
        }

        self::assertSame([[], ['something else']], [$lost, $seen]);
    }

    private static function streamOutput(string $path): StreamOutput
    {
        $stream = fopen($path, 'wb');
        self::assertIsResource($stream);

        return new StreamOutput($stream);
    }
}
