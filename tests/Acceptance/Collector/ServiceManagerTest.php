<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The collector under systemd, which hands over sockets and is notified.
 */
final class ServiceManagerTest extends TestCase
{
    #[Test]
    public function a_service_manager_that_does_not_listen_delays_nothing_and_is_told_later(): void
    {
        $home = TemporaryDirectory::create('collector');
        $notify = stream_socket_server("udg://{$home->path}/notify", $number, $words, STREAM_SERVER_BIND);
        $full = stream_socket_client("udg://{$home->path}/notify");
        self::assertNotFalse($notify);
        self::assertNotFalse($full);
        stream_set_blocking($notify, false);
        stream_set_blocking($full, false);

        while (@fwrite($full, 'STATUS=another') > 0);

        $collector = Running::start(
            ['workers' => 1],
            env: ['NOTIFY_SOCKET' => "{$home->path}/notify", 'WATCHDOG_USEC' => '600000'],
            home: $home,
        );
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
        $told = '';
        $collector->waitFor(static function () use ($notify, &$told): bool {
            $told .= (string) @stream_socket_recvfrom($notify, 4096);

            return str_contains($told, 'READY=1');
        });
    }

    #[Test]
    public function the_service_manager_hands_over_its_socket_and_is_told_what_happens(): void
    {
        $home = TemporaryDirectory::create('collector');
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $notify = stream_socket_server("udg://{$home->path}/notify", $number, $words, STREAM_SERVER_BIND);
        self::assertNotFalse($socket);
        self::assertNotFalse($notify);
        stream_set_blocking($notify, false);
        $collector = Running::start(
            ['workers' => 1, 'timeouts' => ['drain_idle' => 0]],
            [],
            ['LISTEN_FDS' => '1', 'NOTIFY_SOCKET' => "{$home->path}/notify", 'WATCHDOG_USEC' => '600000'],
            $home,
            ['/bin/sh', '-c', 'LISTEN_PID=$$ exec "$@"', '--'],
            [3 => $socket],
        );
        $told = '';
        $hear = static function () use ($notify, &$told): string {
            while (is_string($message = @stream_socket_recvfrom($notify, 4096)) && $message !== '') {
                $told .= "{$message}\n";
            }

            return $told;
        };

        self::assertSame(stream_socket_get_name($socket, false), $collector->address());
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
        $collector->waitFor(
            static fn (): bool => str_contains($hear(), "READY=1\nSTATUS=1 of 1 workers accept\n")
                && str_contains($hear(), 'WATCHDOG=1'),
        );
        $told = '';
        posix_kill($collector->pid, SIGHUP);
        $collector->waitFor(static fn (): bool => preg_match(
            '/RELOADING=1\nMONOTONIC_USEC=\d+\n(?s:.*)READY=1/',
            $hear(),
        ) === 1);
        posix_kill($collector->pid, SIGTERM);
        self::assertSame(0, $collector->exitCode());
        self::assertStringContainsString('STOPPING=1', $hear());
        // The socket is still open: a client that connects now waits for the next collector.
        self::assertNotFalse(stream_socket_client('tcp://'.stream_socket_get_name($socket, false)));
    }
}
