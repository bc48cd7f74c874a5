<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Closure;
use Headroom\Collector\ListenAddress;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\RequestLimits;
use Headroom\Collector\Server\ConnectionManager;
use Headroom\Collector\Server\FileDescriptorBudget;
use Headroom\Collector\Server\GroupCommit;
use Headroom\Collector\Server\HealthEndpoints;
use Headroom\Collector\Server\Listener;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Collector\Server\ReadinessCheck;
use Headroom\Collector\Server\RequestDispatcher;
use Headroom\Collector\Server\StateDirectory;
use Headroom\Collector\Timeouts;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\Buffer;
use Headroom\Tests\Support\TimedClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use React\EventLoop\StreamSelectLoop;

/**
 * Which clients go when a worker has all that it may have: real sockets in this process, by a clock that a test moves.
 */
final class ConnectionManagerTest extends TestCase
{
    private const CAP = 20;

    private const REQUEST = "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n";

    private TemporaryDirectory $directory;

    private TimedClock $clock;

    private StreamSelectLoop $loop;

    private MetricsRegistry $meter;

    private ConnectionManager $clients;

    private string $address;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('clients');
        $this->clock = new TimedClock;
        $this->loop = new StreamSelectLoop;
        $this->meter = new MetricsRegistry;
        $listener = Listener::bind(ListenAddress::of('127.0.0.1:0', 'collector.listen'));
        $this->address = (string) stream_socket_get_name($listener->stream, false);
        $say = static function (): void {};
        $buffer = Buffer::fromArray(['path' => $this->directory->path, 'buckets' => ['events' => []]]);
        $commit = new GroupCommit(
            $buffer,
            self::createStub(RequestHandler::class),
            $this->loop,
            $this->clock,
            $this->meter,
            $say,
        );
        $home = new StateDirectory($this->directory->path, 0o755, 0o644);
        $probes = new HealthEndpoints(new ReadinessCheck($home, $this->clock, 'events', 0, null), null);
        $service = new RequestDispatcher($probes, [], null, $commit, $this->clock, $this->meter, $say);
        $this->clients = new ConnectionManager(
            $this->loop,
            $this->clock,
            ['main' => $listener],
            ['main' => $service],
            new RequestLimits,
            new Timeouts,
            new FileDescriptorBudget(self::CAP),
            $this->meter,
            $say,
        );
        $this->clients->open();
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function clients_silent_for_five_seconds_make_room_when_others_wait(): void
    {
        $silent = array_map(fn () => $this->connect(self::REQUEST), range(1, self::CAP));
        $this->turnUntil(fn (): bool => $this->answered() === self::CAP);
        $waits = $this->connect(self::REQUEST);
        $this->turnUntil(fn (): bool => $this->clients->isPaused());

        $this->pass(4_999_000);
        self::assertSame([], array_filter($silent, self::isClosed(...)));

        $this->pass(1_000);
        $this->turnUntil(static fn (): bool => array_filter($silent, self::isClosed(...)) !== []);
        // One in ten at a time; they are read from for two seconds more.
        self::assertSame([0, 1], array_keys(array_filter($silent, self::isClosed(...))));
        self::assertSame([self::CAP, 2], [$this->answered(), $this->dropped('idle_reclaim')]);

        $this->pass(2_001_000);
        self::assertSame(2, $this->dropped('linger_timeout'));
        $this->turnUntil(fn (): bool => $this->answered() === self::CAP + 1);
        self::assertStringStartsWith('HTTP/1.1 404', (string) fread($waits, 100));
        self::assertFalse($this->clients->isPaused());
    }

    #[Test]
    public function where_there_is_room_none_has_to_go(): void
    {
        $silent = array_map(fn () => $this->connect(self::REQUEST), range(2, self::CAP));
        $this->turnUntil(fn (): bool => $this->answered() === self::CAP - 1);
        $this->pass(60_000_000);

        self::assertSame([], array_filter($silent, self::isClosed(...)));
    }

    #[Test]
    public function clients_that_never_asked_anything_make_room_after_two_seconds(): void
    {
        $silent = array_map(fn () => $this->connect(''), range(1, self::CAP));
        $this->turnUntil(fn (): bool => $this->clients->count() === self::CAP);
        $waits = $this->connect(self::REQUEST);
        $this->turnUntil(fn (): bool => $this->clients->isPaused());

        $this->pass(1_999_000);
        self::assertSame([0, self::CAP], [$this->dropped('no_data'), $this->clients->count()]);

        $this->pass(1_000);
        self::assertSame(self::CAP, $this->dropped('no_data'));
        $this->turnUntil(fn (): bool => $this->answered() === 1);
        self::assertCount(self::CAP, array_filter($silent, self::isClosed(...)));
        self::assertFalse(self::isClosed($waits));
    }

    /** @return resource */
    private function connect(string $request)
    {
        $client = stream_socket_client("tcp://{$this->address}");
        self::assertNotFalse($client);
        stream_set_blocking($client, false);
        fwrite($client, $request);

        return $client;
    }

    /** Time goes on, and the worker looks at all its clients, as it does each second. */
    private function pass(int $micros): void
    {
        $this->clock->sleep($micros);
        $isDone = false;
        $this->clients->enforceTimeoutsSoon(static function () use (&$isDone): void {
            $isDone = true;
        });
        $this->turnUntil(static function () use (&$isDone): bool {
            return $isDone;
        });
    }

    /** @param Closure(): bool $isMet */
    private function turnUntil(Closure $isMet): void
    {
        for ($turns = 0; ! $isMet(); $turns++) {
            self::assertLessThan(5_000, $turns, 'It does not come to that.');
            $this->loop->addTimer(0.002, $this->loop->stop(...));
            $this->loop->run();
        }
    }

    private function answered(): int
    {
        return (int) ($this->meter->counters['headroom_http_requests_total{code="404"}'] ?? 0);
    }

    private function dropped(string $why): int
    {
        return (int) ($this->meter->counters['headroom_connections_dropped_total{reason="'.$why.'"}'] ?? 0);
    }

    /** @param resource $client */
    private static function isClosed($client): bool
    {
        while (($read = fread($client, 8_192)) !== false && $read !== '') {
            // Skips the response.
        }

        return feof($client);
    }
}
