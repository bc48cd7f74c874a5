<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Dev\Delay;

use Headroom\Dev\Delay\Relay;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The relay's own time stands still unless it is moved, so nothing here depends on how fast the machine is.
 */
final class RelayTest extends TestCase
{
    private const ROUND_TRIP_MICROS = 2_000;

    private ManualClock $clock;

    /** @var resource */
    private mixed $server;

    private Relay $relay;

    protected function setUp(): void
    {
        $this->clock = new ManualClock;
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($server);
        $this->server = $server;
        $this->relay = new Relay(
            '127.0.0.1:0',
            (string) stream_socket_get_name($server, false),
            self::ROUND_TRIP_MICROS,
            $this->clock,
        );
    }

    protected function tearDown(): void
    {
        fclose($this->server);
    }

    #[Test]
    public function the_target_is_called_one_and_a_half_round_trips_after_the_client_came(): void
    {
        $this->client();
        $this->settle();
        $this->clock->sleep(2_999);
        $this->settle();
        self::assertFalse(@stream_socket_accept($this->server, 0.0));

        $this->clock->sleep(1);
        $this->settle();
        self::assertIsResource(@stream_socket_accept($this->server, 1.0));
    }

    #[Test]
    public function connections_that_come_together_wait_for_each_other_where_each_costs_the_server_time(): void
    {
        $this->relay = new Relay(
            '127.0.0.1:0',
            (string) stream_socket_get_name($this->server, false),
            self::ROUND_TRIP_MICROS,
            $this->clock,
            10_000,
        );
        $clients = array_map($this->client(...), range(1, 20));
        $this->settle();
        $served = $at = [];

        for ($millis = 0; count($served) < count($clients) && $millis < 2_000; $millis += 10) {
            $this->clock->sleep(10_000);
            $this->settle();

            while (($stream = @stream_socket_accept($this->server, 0.0)) !== false) {
                $served[] = $stream;
                $at[] = $millis;
            }
        }

        self::assertCount(20, $served);
        // Half of them are through after half of the time: one after the other, and not each after 10 ms.
        self::assertGreaterThan(40, $at[9] ?? 0);
        // 20 of 10 ms in the mean; the sequence is the same each time.
        self::assertGreaterThan(100, $at[19] ?? 0);
        self::assertLessThan(400, $at[19] ?? 0);
    }

    #[Test]
    public function each_direction_takes_half_the_round_trip_and_not_less(): void
    {
        [$client, $served] = $this->connected();

        fwrite($client, 'ping');
        $this->settle();
        $this->clock->sleep(999);
        $this->settle();
        self::assertSame('', fread($served, 100));
        $this->clock->sleep(1);
        $this->settle();
        self::assertSame('ping', fread($served, 100));

        fwrite($served, 'pong');
        $this->settle();
        $this->clock->sleep(999);
        $this->settle();
        self::assertSame('', fread($client, 100));
        $this->clock->sleep(1);
        $this->settle();
        self::assertSame('pong', fread($client, 100));
    }

    #[Test]
    public function a_client_that_has_said_all_still_gets_its_answer(): void
    {
        [$client, $served] = $this->connected();
        fwrite($client, 'question');
        stream_socket_shutdown($client, STREAM_SHUT_WR);
        $this->pass();
        self::assertSame('question', stream_get_contents($served));
        self::assertTrue(feof($served));

        fwrite($served, 'answer');
        fclose($served);
        $this->pass();
        self::assertSame('answer', stream_get_contents($client));
        self::assertTrue(feof($client));
    }

    #[Test]
    public function cutting_ends_every_connection_and_loses_the_bytes_under_way(): void
    {
        [$one, $servedOne] = $this->connected();
        [$two, $servedTwo] = $this->connected();
        fwrite($one, 'under way');
        $this->settle();

        $this->relay->cutConnections();
        $this->settle();
        $this->clock->sleep(self::ROUND_TRIP_MICROS);
        $this->settle();

        foreach ([$one, $two, $servedOne, $servedTwo] as $stream) {
            self::assertSame('', (string) fread($stream, 100));
            self::assertTrue(feof($stream));
        }

        [$client, $served] = $this->connected();
        fwrite($client, 'again');
        $this->pass();
        self::assertSame('again', fread($served, 100));
    }

    #[Test]
    public function a_target_that_refuses_ends_the_connection_of_the_client(): void
    {
        fclose($this->server);
        $client = $this->client();
        $this->settle();
        $this->clock->sleep(self::ROUND_TRIP_MICROS * 2);
        $this->settle();

        self::assertSame('', (string) fread($client, 100));
        self::assertTrue(feof($client));
        $this->setUp();
    }

    /** @return array{resource, resource} the client's end and the server's end */
    private function connected(): array
    {
        $client = $this->client();
        $this->settle();
        $this->clock->sleep(self::ROUND_TRIP_MICROS * 2);
        $this->settle();
        $served = stream_socket_accept($this->server, 1.0);
        self::assertIsResource($served);
        stream_set_blocking($served, false);
        $this->settle();

        return [$client, $served];
    }

    /** @return resource */
    private function client(): mixed
    {
        $client = stream_socket_client("tcp://{$this->relay->address()}", timeout: 1.0);
        self::assertIsResource($client);
        stream_set_blocking($client, false);

        return $client;
    }

    private function pass(): void
    {
        $this->settle();
        $this->clock->sleep(self::ROUND_TRIP_MICROS);
        $this->settle();
    }

    /** On the loopback device a byte that was written can be read at once: a few turns see all there is. */
    private function settle(): void
    {
        for ($turn = 0; $turn < 4; $turn++) {
            $this->relay->turn(5_000);
        }
    }
}
