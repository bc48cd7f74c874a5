<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Collector;

use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Blocker;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Caller;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Hello;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Large;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Thrower;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Clients as they should not be, and a buffer that takes nothing. A worker serves the others all the while.
 */
#[Group('snapshot')]
final class ClientsTest extends TestCase
{
    #[Test, Group('day-1')]
    public function more_connections_than_a_worker_may_have_wait_and_are_served_afterwards(): void
    {
        // Descriptors that the process inherits leave fewer of the 1,024 that select() can watch.
        $most = Sample::number(300, 800);
        $sent = $most + 350;
        $collector = Running::start(['workers' => 1, 'descriptors' => $most]);
        $address = $collector->address();
        $clients = [];

        for ($number = 0; $number < $sent; $number++) {
            $clients[] = (new Client($address))->event("c-{$number}");
        }

        Snapshot::assertPrinted(
            'log of the collector',
            'a worker takes no more connections',
            $collector->logged("/ {$most} .* {$most} .*/"),
        );
        // Where the clients are slow, the worker accepts again in between.
        $collector->waitFor(static fn (Running $it): bool => preg_match(
            '/^headroom_accept_pauses_total [1-9]/m',
            Client::fetch($it->admin(), '/metrics')[1],
        ) === 1);

        foreach ($clients as $number => $client) {
            self::assertSame(202, $client->answer()[0], "client {$number}: {$collector->log()}");
            $client->close();
        }

        $collector->waitFor(
            static fn (Running $it): bool => Dug::out($it->status(), 'processes', 0, 'paused') === false,
        );
        self::assertSame(202, (new Client($address))->event('last')->answer()[0]);
        self::assertCount($sent + 1, array_unique($collector->collected()));
    }

    #[Test]
    public function inherited_descriptors_leave_room_for_fewer_connections(): void
    {
        $collector = $this->inheriting(800);
        self::assertMatchesRegularExpression(
            '/ ([1-9]\d|1\d\d) descriptors per worker/',
            $collector->logged('/ \d+ descriptors per worker/'),
        );
        $clients = array_map(
            static fn (int $number): Client => (new Client($collector->address()))->event("c-{$number}"),
            range(1, 250),
        );

        foreach ($clients as $client) {
            self::assertSame(202, $client->answer()[0], $collector->log());
            $client->close();
        }

        self::assertCount(250, array_unique($collector->collected()));
    }

    #[Test]
    public function a_collector_that_inherits_all_descriptors_of_select_does_not_start(): void
    {
        $collector = $this->inheriting(1_000, isReady: false);

        self::assertSame(1, $collector->exitCode());
        self::assertSame(1, preg_match('/\b(\d+)\b.*\b1024\b/', $collector->log(), $numbers), $collector->log());
        // Descriptors that this process does not pass on take numbers below 1024, and as many of the 1,000 lie above.
        self::assertGreaterThan(1_024 - 100 - 16, (int) $numbers[1]);
    }

    #[Test]
    public function clients_that_wait_for_a_call_are_answered_and_sent_to_another_process(): void
    {
        $there = Running::start(['workers' => 1, 'handlers' => ['/hello' => Hello::class]]);
        $collector = Running::start(['workers' => 1, 'descriptors' => 32, 'handlers' => ['/call' => Caller::class]]);
        $clients = array_map(static fn (): Client => new Client($collector->address()), range(1, 32));

        foreach ($clients as $client) {
            self::assertSame(
                404,
                $client->get('/there-is-nothing')->answer()[0],
                'each is taken in before the first call begins',
            );
        }

        foreach ($clients as $client) {
            $client->get("/call/20?{$there->address()}/hello/x");
        }

        $answers = array_map(static fn (Client $client): array => $client->answer(), $clients);
        self::assertSame(
            [[200, 'hello /hello/x']],
            array_values(array_unique(
                array_map(static fn (array $answer): array => [$answer[0], $answer[2]], $answers),
                SORT_REGULAR,
            )),
        );
        self::assertNotSame(
            [],
            array_filter($answers, static fn (array $answer): bool => str_contains($answer[1], 'Connection: close')),
        );

        self::assertSame(202, (new Client($collector->address()))->event('next')->answer()[0]);
    }

    #[Test]
    public function a_call_without_a_descriptor_does_not_blame_its_server(): void
    {
        $silent = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($silent);
        $collector = Running::start(['workers' => 1, 'descriptors' => 16, 'handlers' => ['/call' => Caller::class]]);
        $there = stream_socket_get_name($silent, false);
        $call = static fn (): Client => (new Client($collector->address()))->get("/call/0.3?{$there}/");
        $clients = array_map($call, range(1, 16));

        $answers = array_map(static fn (Client $client): array => $client->answer(), $clients);
        self::assertSame([504], array_values(array_unique(array_column($answers, 0))));
        // Some were sent and some were not.
        self::assertCount(2, array_unique(array_column($answers, 2)));
    }

    #[Test]
    public function slow_and_silent_clients_are_told_and_hung_up_on(): void
    {
        $collector = Running::start([
            'workers' => 1,
            'timeouts' => ['header' => 1, 'body_idle' => 1, 'keep_alive' => 1],
        ]);
        $head = (new Client($collector->address()))->send("POST /v1/events HTTP/1.1\r\nHo");
        $body = (new Client($collector->address()))->send(
            "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{",
        );
        $nothing = new Client($collector->address());
        $kept = (new Client($collector->address()))->event('kept');
        self::assertSame(202, $kept->answer()[0]);

        [$status, $headers, $problem] = $head->answer();
        self::assertSame([408, true], [$status, str_contains($headers, 'Connection: close')]);
        self::assertStringContainsString('"code":"request_timeout"', $problem);
        self::assertSame(408, $body->answer()[0]);

        foreach ([$head, $body, $nothing, $kept] as $client) {
            self::assertTrue($client->isClosed());
        }
    }

    #[Test]
    public function bytes_that_came_while_the_worker_was_blocked_are_no_silence(): void
    {
        $collector = Running::start([
            'workers' => 1,
            'timeouts' => ['header' => 3, 'body_idle' => 3, 'keep_alive' => 3],
            'handlers' => ['/block/5' => Blocker::class],
        ]);
        $event = static fn (string $id): string => "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type:"
            ." application/json\r\nContent-Length: 21\r\n\r\n{\"id\":\"{$id}\",\"type\":\"t\"}";
        $kept = (new Client($collector->address()))->event('0');
        self::assertSame(202, $kept->answer()[0]);
        $head = (new Client($collector->address()))->send(substr($event('a'), 0, 30));
        $body = (new Client($collector->address()))->send(substr($event('b'), 0, -5));
        // It has read these, or has the same answers later.
        usleep(200_000);
        $blocked = (new Client($collector->address()))->get('/block/5');
        $collector->waitForLog('blocks');
        $kept->send($event('k'));
        $head->send(substr($event('a'), 30));
        $body->send(substr($event('b'), -5));

        self::assertSame(
            [200, 202, 202, 202],
            [$blocked->answer()[0], $kept->answer()[0], $head->answer()[0], $body->answer()[0]],
            $collector->log(),
        );
        self::assertEqualsCanonicalizing(['0', 'a', 'b', 'k'], $collector->collected());
    }

    #[Test]
    public function a_client_that_asks_behind_another_request_is_told_to_go_on(): void
    {
        $collector = Running::start(['workers' => 1]);
        $head = "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 23\r\n";
        $client = (new Client($collector->address()))->send(
            "{$head}\r\n".'{"id":"one","type":"t"}'."{$head}Expect: 100-continue\r\n\r\n",
        );

        self::assertSame(202, $client->answer()[0]);
        self::assertSame(100, $client->answer()[0]);
        self::assertSame(202, $client->send('{"id":"two","type":"t"}')->answer()[0]);
        self::assertSame(['one', 'two'], $collector->collected());
    }

    #[Test]
    public function a_client_that_does_not_take_its_answer_is_dropped(): void
    {
        $collector = Running::start([
            'workers' => 1,
            'timeouts' => ['write' => 1],
            'handlers' => ['/large' => Large::class],
        ]);
        $slow = (new Client($collector->address()))->get('/large');
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);

        $collector->waitFor(static fn (Running $it): bool => str_contains(
            Client::fetch($it->admin(), '/metrics')[1],
            'headroom_connections_dropped_total{reason="write_timeout"} 1',
        ));
        self::assertLessThan(8_000_000, strlen($slow->answer()[2]));
    }

    #[Test]
    public function requests_sent_before_the_client_shut_its_side_are_answered(): void
    {
        $collector = Running::start(['workers' => 1]);
        $client = (new Client($collector->address()))->event('a')->event('b');
        stream_socket_shutdown($client->stream, STREAM_SHUT_WR);

        self::assertSame([202, 202], [$client->answer()[0], $client->answer()[0]]);
        self::assertTrue($client->isClosed());
    }

    #[Test]
    public function garbage_is_refused_and_the_next_client_served(): void
    {
        $collector = Running::start(['workers' => 1]);

        foreach ([
            "\x16\x03\x01\x02\x00",
            "GET / HTTP/1.1\nHost: a\n\n",
            str_repeat("\0\xFF", 40_000),
            "POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
        ] as $garbage) {
            $client = (new Client($collector->address()))->send($garbage);
            [$status, $headers] = $client->answer();
            self::assertSame([400, true], [$status, str_contains($headers, 'Connection: close')], $headers);
            self::assertTrue($client->isClosed());
        }

        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
    }

    #[Test]
    public function a_client_that_leaves_before_its_answer_ends_nothing(): void
    {
        $collector = Running::start(['workers' => 1]);
        $before = $collector->pids();

        for ($number = 0; $number < 50; $number++) {
            (new Client($collector->address()))->event("gone-{$number}")->close();
        }

        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
        self::assertSame($before, $collector->pids());
        self::assertContains('gone-0', $collector->collected());
    }

    #[Test]
    public function many_requests_at_once_are_answered_in_their_order(): void
    {
        $collector = Running::start(['workers' => 1]);
        $client = new Client($collector->address());

        $wanted = [];

        for ($number = 0; $number < 300; $number++) {
            match ($number % 3) {
                0 => $client->event("p-{$number}"),
                1 => $client->get('/livez'),
                default => $client->get('/nowhere'),
            };
            $wanted[] = [202, 200, 404][$number % 3];
        }

        $statuses = [];

        for ($number = 0; $number < 300; $number++) {
            $statuses[] = $client->answer()[0];
        }

        self::assertSame($wanted, $statuses);
    }

    #[Test]
    public function an_exception_costs_one_request_and_is_logged_with_its_place(): void
    {
        $collector = Running::start(['workers' => 1, 'handlers' => ['/bad' => Thrower::class]]);
        $before = $collector->pids();
        $client = (new Client($collector->address()))->get('/bad/thing');

        self::assertSame(500, $client->answer()[0]);
        self::assertSame(202, $client->event('a')->answer()[0]);
        self::assertSame($before, $collector->pids());
        $collector->waitForLog('LogicException: as it must (');
        self::assertStringContainsString('Thrower.php:', $collector->log());
    }

    #[Test]
    public function a_full_buffer_is_a_503_and_takes_events_again_when_there_is_room(): void
    {
        $collector = Running::start(
            ['workers' => 1],
            ['buckets' => ['events' => [
                'sink' => 'file',
                'path' => sys_get_temp_dir().'/headroom-collector-full-'.getmypid().'.ndjson',
                'max_bytes' => 65_536,
                'overflow' => 'direct',
            ]]],
        );

        try {
            $client = new Client($collector->address());
            $accepted = 0;

            do {
                $body = '{"type":"t","data":"'.str_repeat('x', 20_000).'"}';
                [$status, $headers, $problem] = $client->send(
                    "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
                        .strlen($body)."\r\n\r\n{$body}",
                )->answer();
                $accepted += $status === 202 ? 1 : 0;
            } while ($status === 202 && $accepted < 100);

            self::assertSame(503, $status, $problem);
            self::assertStringContainsString('Retry-After: ', $headers);
            self::assertStringContainsString('"retryable":true', $problem);
            self::assertFileDoesNotExist(
                sys_get_temp_dir().'/headroom-collector-full-'.getmypid().'.ndjson',
                'the loop waits for no sink',
            );
            self::assertSame([200, "ok\n"], Client::fetch($collector->address(), '/livez'));
            $collector->waitFor(static fn (Running $it): bool => Client::fetch($it->address(), '/readyz')[0] === 503);
            $collector->waitFor(static fn (Running $it): bool => str_contains(
                Client::fetch($it->admin(), '/metrics')[1],
                'headroom_events_refused_total{reason="quota"} 1',
            ));

            $collector->waitFor(static function (Running $it): bool {
                $it->command('spool:flush');

                return (new Client($it->address()))->event('again')->answer()[0] === 202;
            });
        } finally {
            @unlink(sys_get_temp_dir().'/headroom-collector-full-'.getmypid().'.ndjson');
        }
    }

    #[Test]
    public function a_directory_that_cannot_be_written_to_is_a_503_and_no_end(): void
    {
        $collector = Running::start(['workers' => 1]);
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
        $bucket = "{$collector->directory}/spool/buckets/events";
        $collector->collected();
        // Of root, too, nothing can be made below a file.
        rename("{$bucket}/active", "{$bucket}/aside");
        touch("{$bucket}/active");

        self::assertSame(503, (new Client($collector->address()))->event('b')->answer()[0]);
        unlink("{$bucket}/active");
        rename("{$bucket}/aside", "{$bucket}/active");
        self::assertSame(202, (new Client($collector->address()))->event('c')->answer()[0]);
    }

    private function inheriting(int $descriptors, bool $isReady = true): Running
    {
        $open = array_map(static fn (): mixed => fopen('/dev/null', 'r'), range(1, $descriptors));
        $collector = Running::start(['workers' => 1], isReady: $isReady);
        array_map(static fn (mixed $file): bool => is_resource($file) && fclose($file), $open);

        return $collector;
    }
}
