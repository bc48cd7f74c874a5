<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Dev\DelayProxy;
use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[RequiresPhpExtension('posix')]
final class DelayProxyTest extends TestCase
{
    private TemporaryDirectory $directory;

    private ChildProcess $echo;

    private int $port;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('echo');
        $this->port = Ports::free();
        $this->echo = ChildProcess::start(new ProcessOptions(
            'echo',
            [Programs::php(), __DIR__.'/fixtures/echo.php', (string) $this->port],
            $this->directory->file('log'),
        ));
        $this->echo->awaitReady(fn (): bool => Ports::accepts($this->port));
    }

    protected function tearDown(): void
    {
        $this->echo->stop();
        $this->directory->remove();
    }

    #[Test]
    public function bytes_arrive_whole_in_order_and_never_early(): void
    {
        $proxy = DelayProxy::start('127.0.0.1', $this->port, 20.0);
        $bytes = random_bytes(3_000_000);

        try {
            $began = hrtime(true);
            $client = self::connect($proxy->port);
            self::assertSame('x', self::roundTrip($client, 'x'));
            $first = hrtime(true);
            self::assertSame('y', self::roundTrip($client, 'y'));
            $second = hrtime(true);

            // Connecting, and the first byte there and back: two round trips. Only the lower bound can be promised.
            self::assertGreaterThanOrEqual(40_000_000, $first - $began);
            self::assertGreaterThanOrEqual(20_000_000, $second - $first);
            self::assertSame(md5($bytes), md5(self::exchange($client, $bytes)));
        } finally {
            $proxy->stop();
        }
    }

    #[Test]
    public function many_connections_do_not_mix(): void
    {
        $proxy = DelayProxy::start('127.0.0.1', $this->port, 2.0);

        try {
            $clients = array_map(static fn (): mixed => self::connect($proxy->port), range(1, 100));

            for ($round = 0; $round < 5; $round++) {
                foreach ($clients as $i => $client) {
                    fwrite($client, sprintf('%04d-%04d', $i, $round));
                }

                foreach ($clients as $i => $client) {
                    self::assertSame(sprintf('%04d-%04d', $i, $round), stream_get_contents($client, 9));
                }
            }
        } finally {
            $proxy->stop();
        }
    }

    #[Test]
    #[RequiresPhpExtension('pcntl')]
    public function cut_connections_end_and_new_ones_are_taken(): void
    {
        $proxy = DelayProxy::start('127.0.0.1', $this->port, 1.0);

        try {
            $client = self::connect($proxy->port);
            self::assertSame('x', self::roundTrip($client, 'x'));

            $proxy->cutConnections();

            self::assertSame('', (string) fread($client, 1));
            self::assertTrue(feof($client));
            self::assertSame('y', self::roundTrip(self::connect($proxy->port), 'y'));
        } finally {
            $proxy->stop();
        }
    }

    #[Test]
    public function stopping_leaves_no_process(): void
    {
        $proxy = DelayProxy::start('127.0.0.1', $this->port, 1.0);
        self::assertTrue((new Proc)->isAlive($proxy->pid()));

        $proxy->stop();

        self::assertFalse((new Proc)->isAlive($proxy->pid()));
        self::assertFalse(Ports::accepts($proxy->port));
    }

    /** @return resource */
    private static function connect(int $port): mixed
    {
        $client = stream_socket_client("tcp://127.0.0.1:{$port}", timeout: 5.0);
        self::assertIsResource($client);
        stream_set_timeout($client, 20);

        return $client;
    }

    /** @param resource $client */
    private static function roundTrip(mixed $client, string $byte): string
    {
        fwrite($client, $byte);

        return (string) fread($client, 1);
    }

    /**
     * Sends and receives at the same time, says that it has said all, and waits for the other side's end.
     *
     * @param resource $client
     */
    private static function exchange(mixed $client, string $bytes): string
    {
        stream_set_blocking($client, false);
        $answer = '';
        $until = hrtime(true) + 30_000_000_000;

        while (! feof($client) && hrtime(true) < $until) {
            $read = [$client];
            $write = $bytes === '' ? [] : [$client];
            $except = [];
            stream_select($read, $write, $except, 1);

            if ($write !== []) {
                $bytes = substr($bytes, (int) fwrite($client, substr($bytes, 0, 262_144)));
                $bytes === '' && stream_socket_shutdown($client, STREAM_SHUT_WR);
            }

            $answer .= (string) fread($client, 262_144);
        }

        return $answer;
    }
}
