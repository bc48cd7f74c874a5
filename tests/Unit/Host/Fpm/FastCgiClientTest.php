<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Fpm;

use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\FastCgiFailure;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[RequiresPhpExtension('posix')]
final class FastCgiClientTest extends TestCase
{
    private TemporaryDirectory $directory;

    private ?Hostile $server = null;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('fcgi');
    }

    protected function tearDown(): void
    {
        $this->server?->stop();
        $this->directory->remove();
    }

    /**
     * @return iterable<string, array{string, 'close'|'hang'|'repeat', FastCgiFailure, int}> the last is a
     *     number that the message tells
     */
    public static function servers(): iterable
    {
        $half = substr(Frames::record(Frames::OUT, 'hello'), 0, 10);

        yield 'silence' => ['', 'hang', FastCgiFailure::ReadTimedOut, 200];
        yield 'half a record and silence' => [$half, 'hang', FastCgiFailure::ReadTimedOut, 10];
        yield 'half a record and the end' => [$half, 'close', FastCgiFailure::BrokeOff, 10];
        yield 'nothing and the end' => ['', 'close', FastCgiFailure::BrokeOff, 0];
        yield 'an answer without its end' => [
            Frames::record(Frames::OUT, "A: b\n\nbody"), 'hang', FastCgiFailure::ReadTimedOut, 18,
        ];
        yield 'another protocol' => ["HTTP/1.1 400 Bad Request\r\n\r\n", 'close', FastCgiFailure::NotFastCgi, 72];
        yield 'an answer to another request' => [
            Frames::record(Frames::OUT, 'x', id: 7), 'hang', FastCgiFailure::NotFastCgi, 7,
        ];
        yield 'output without end' => [
            Frames::record(Frames::OUT, str_repeat('x', 10_000)), 'repeat', FastCgiFailure::TooLong, 300_000,
        ];
        yield 'empty records without end' => [
            Frames::record(Frames::OUT, ''), 'repeat', FastCgiFailure::TooLong, 300_000,
        ];
    }

    /** @param 'close'|'hang'|'repeat' $end */
    #[Test]
    #[DataProvider('servers')]
    public function a_server_that_is_no_fpm_is_named(
        string $says,
        string $end,
        FastCgiFailure $failure,
        int $number,
    ): void {
        // Where time is what ends it, it is short; on a machine too busy to send within it, longer.
        $millis = $failure === FastCgiFailure::ReadTimedOut ? 200 : 60_000;
        $error = $this->asked($says, $end, $millis);
        $seen = "/(?<![\\d,]){$number}\\b/";

        while (
            $failure === FastCgiFailure::ReadTimedOut
            && $says !== ''
            && preg_match($seen, $error->getMessage()) !== 1
            && $millis < 20_000
        ) {
            $error = $this->asked($says, $end, $millis *= 3);
        }

        self::assertSame($failure, $error->failure, $error->getMessage());
        self::assertMatchesRegularExpression($seen, $error->getMessage());
    }

    #[Test]
    public function a_whole_answer_is_taken_though_the_connection_stays_open(): void
    {
        $this->server = Hostile::says(
            Frames::record(Frames::OUT, "A: b\n\nbody").Frames::end(),
            'hang',
            $this->directory,
        );

        self::assertSame('body', (new FastCgiClient)->get($this->server->address, '/x')->body);
    }

    #[Test]
    public function a_missing_socket_and_one_without_a_server_are_told_apart(): void
    {
        $left = $this->directory->file('left.sock');
        $server = stream_socket_server("unix://{$left}");
        self::assertNotFalse($server);
        fclose($server);

        self::assertSame(
            FastCgiFailure::NoSocket,
            self::refused(Address::parse($this->directory->file('none.sock')))->failure,
        );
        self::assertSame(FastCgiFailure::Refused, self::refused(Address::parse($left))->failure);
    }

    #[Test]
    public function a_port_without_a_server_refuses(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($server);
        $name = (string) stream_socket_get_name($server, false);
        fclose($server);

        self::assertSame(FastCgiFailure::Refused, self::refused(Address::parse($name))->failure);
    }

    #[Test]
    public function a_socket_of_another_user_is_not_permitted(): void
    {
        $path = $this->directory->file('closed.sock');
        $server = stream_socket_server("unix://{$path}");
        self::assertNotFalse($server);
        chmod($path, 0);
        // The directory itself is open to the one who asks.
        chmod($this->directory->path, 0o755);
        $isRoot = posix_geteuid() === 0;

        try {
            $isRoot && posix_seteuid(65_534);
            $error = self::refused(Address::parse($path));
        } finally {
            $isRoot && posix_seteuid(0);
        }

        self::assertSame(FastCgiFailure::NotPermitted, $error->failure);
        self::assertStringContainsString('listen.mode', $error->getMessage());
    }

    #[Test]
    public function the_full_queue_of_a_unix_socket_turns_away_at_once(): void
    {
        $path = $this->directory->file('full.sock');
        $server = stream_socket_server(
            "unix://{$path}",
            context: stream_context_create(['socket' => ['backlog' => 1]]),
        );
        self::assertNotFalse($server);
        // Linux lets one more in than the backlog says.
        $waiting = [stream_socket_client("unix://{$path}"), stream_socket_client("unix://{$path}")];

        $error = self::refused(Address::parse($path));

        self::assertCount(2, array_filter($waiting));
        self::assertSame(FastCgiFailure::QueueFull, $error->failure);
        self::assertSame("ss -xlp src {$path}", $error->command);
    }

    #[Test]
    public function the_full_queue_of_a_port_lets_a_connection_wait(): void
    {
        $server = stream_socket_server(
            'tcp://127.0.0.1:0',
            context: stream_context_create(['socket' => ['backlog' => 1]]),
        );
        self::assertNotFalse($server);
        $name = (string) stream_socket_get_name($server, false);
        $waiting = [stream_socket_client("tcp://{$name}"), stream_socket_client("tcp://{$name}")];

        $error = self::refused(Address::parse($name));

        self::assertCount(2, array_filter($waiting));
        self::assertSame(FastCgiFailure::ConnectTimedOut, $error->failure);
    }

    #[Test]
    public function any_other_failure_keeps_the_words_of_the_kernel(): void
    {
        $error = UnableToQueryPool::connecting(Address::parse('10.0.0.9:9000'), 113, 'No route to host', 200);

        self::assertSame(FastCgiFailure::Unreachable, $error->failure);

        foreach (['10.0.0.9:9000', 'No route to host', '113'] as $shown) {
            self::assertStringContainsString($shown, $error->getMessage());
        }
    }

    /** @param 'close'|'hang'|'repeat' $end */
    private function asked(string $says, string $end, int $millis): UnableToQueryPool
    {
        $this->server?->stop();
        // The next one is ready when this is there.
        @unlink($this->directory->file('hostile.sock'));
        $this->server = Hostile::says($says, $end, $this->directory);

        return self::refused($this->server->address, new FastCgiClient(60_000, $millis, 300_000));
    }

    private static function refused(
        Address $address,
        FastCgiClient $client = new FastCgiClient(200, 200),
    ): UnableToQueryPool {
        try {
            $client->get($address, '/x');
        } catch (UnableToQueryPool $e) {
            return $e;
        }

        self::fail('That was no answer.');
    }
}
