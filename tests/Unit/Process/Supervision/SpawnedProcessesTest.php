<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process\Supervision;

use Headroom\Process\Supervision\Message;
use Headroom\Process\Supervision\ProcessExit;
use Headroom\Process\Supervision\ProcessHandle;
use Headroom\Process\Supervision\SpawnedProcesses;
use Headroom\Process\UnableToStart;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class SpawnedProcessesTest extends TestCase
{
    private const READY = '{"type":"ready"}';

    /** @param list<string> $types */
    #[Test]
    #[TestWith([
        'echo \'{"type":"ready"}\' >&4; echo \'{"type":"heartbeat"}\' >&4; exit 3', ['ready', 'heartbeat'], 3, null,
    ])]
    #[TestWith(['echo \'{"type":"ready"}\' >&4', ['ready'], 0, null])]
    #[TestWith(['echo \'{"type":"ready"}\' >&4; sleep 5 & kill -9 $$', ['ready'], 0, 9])]
    #[TestWith(['exit 9', [], 9, null])]
    public function its_last_messages_are_received_after_its_exit(
        string $script,
        array $types,
        int $code,
        ?int $signal,
    ): void {
        $process = (new SpawnedProcesses)->start('worker 1', ['sh', '-c', $script], '/');
        $exit = self::exitOf($process);

        self::assertSame([$code, $signal], [$exit->code, $exit->signal]);
        self::assertSame(
            $types,
            array_map(static fn (Message $message): string => $message->type, $process->channel?->receive() ?? []),
        );
        self::assertSame([], $process->channel?->receive());
        self::assertNull($process->channel->stream());
        $process->channel->send('drain');
        $process->signal(15);
    }

    #[Test]
    public function a_program_reads_what_its_supervisor_sends(): void
    {
        $script = 'read line <&4; test "$line" = \''.self::READY.'\' && echo "$line" >&4';
        $process = (new SpawnedProcesses)->start('worker 1', ['sh', '-c', $script]);
        $process->channel?->send('ready');

        self::assertSame(0, self::exitOf($process)->code);
        self::assertEquals([new Message('ready')], $process->channel?->receive());
    }

    #[Test]
    public function a_program_inherits_nothing_but_what_it_is_given(): void
    {
        $listener = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($listener);
        $script = 'for fd in /proc/self/fd/*; do readlink "$fd"; done | grep -c "^socket:" >&5';
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        self::assertNotFalse($pair);
        self::exitOf((new SpawnedProcesses)->start('worker 1', ['sh', '-c', $script], descriptors: [5 => $pair[1]]));

        // Its channel and the given one.
        self::assertSame("2\n", fgets($pair[0]));
    }

    #[Test]
    public function a_program_that_is_missing_ends_or_is_refused(): void
    {
        try {
            $process = (new SpawnedProcesses)->start('worker 1', ['/nothing/here']);
            self::assertSame(127, self::exitOf($process)->code);
        } catch (UnableToStart $e) {
            self::assertStringContainsString('worker 1', $e->getMessage());
        }
    }

    /** A supervisor that is killed closes the channel, even if the program holds other descriptors. */
    #[Test]
    public function the_channel_ends_when_the_supervisor_is_killed(): void
    {
        $code = 'require $argv[1]; (new Headroom\Process\Supervision\SpawnedProcesses)->start("worker 1", ["sh", "-c",'
            .' "read line <&4; echo ended"]); (new Headroom\Process\Supervision\SpawnedProcesses)->start("worker 2",'
            .' ["sleep", "30"]); posix_kill(getmypid(), 9);';
        $supervisor = proc_open(
            [PHP_BINARY, '-r', $code, '--', dirname(__DIR__, 4).'/vendor/autoload.php'],
            [1 => ['pipe', 'w']],
            $pipes,
        );
        self::assertNotFalse($supervisor);
        self::assertIsResource($pipes[1]);

        self::assertSame("ended\n", fgets($pipes[1]));
        proc_close($supervisor);
    }

    private static function exitOf(ProcessHandle $process): ProcessExit
    {
        for ($tries = 0; $tries < 5_000; $tries++) {
            $exit = $process->exit();

            if ($exit !== null) {
                return $exit;
            }

            usleep(1_000);
        }

        self::fail('It did not end.');
    }
}
