<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Core\SystemClock;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Metrics\Interval;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\Response;
use Headroom\Load\SameRequest;
use Headroom\Tests\Support\Redis\Patience;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

#[RequiresPhpExtension('posix')]
final class GeneratorTest extends GeneratorTestCase
{
    #[Test]
    public function every_request_arrives_once_and_each_user_keeps_its_connection(): void
    {
        $result = $this->send('/ok', Plan::requests(500, concurrency: 20));

        self::assertSame(
            [500, 500, 20, 0],
            [$result->sent(), $result->succeeded(), $result->connections, $result->resent],
        );
        self::assertSame([200 => 500], $result->statuses);
        self::assertSame(500 * strlen('ok '), $result->bytes);
        self::assertSame([500, 500], [$result->latency()->count(), count($this->server->requests())]);
        self::assertFalse($result->stoppedEarly);
    }

    #[Test]
    public function each_user_has_one_request_in_flight(): void
    {
        $result = $this->send('/slow/30', Plan::requests(12, concurrency: 3));
        $waiting = array_map(static fn (SeenRequest $seen): int => $seen->waiting, $this->server->requests());

        self::assertSame([12, 3], [$result->succeeded(), $result->connections]);
        self::assertSame(2, max(0, ...$waiting));
        self::assertGreaterThanOrEqual(30_000, $result->latency()->min());
        self::assertGreaterThanOrEqual(0.12, $result->seconds);
    }

    #[Test]
    public function there_are_no_more_users_than_requests(): void
    {
        self::assertSame(2, $this->send('/slow/20', Plan::requests(2, concurrency: 50))->connections);
    }

    #[Test]
    public function requests_counted_as_sent_have_reached_the_server_to_the_end(): void
    {
        $result = $this->send('/slow/20', Plan::duration(0.5, concurrency: 5));
        $clock = new SystemClock;

        for ($i = 0; $i < 500 && count($this->server->requests()) < $result->sent(); $i++) {
            $clock->sleep(10_000);
        }

        self::assertCount($result->sent(), $this->server->requests());
        self::assertGreaterThan(0, $result->succeeded());
        self::assertSame($result->sent(), $result->succeeded() + $result->unfinished);
    }

    #[Test]
    public function a_source_gives_each_request_its_own_method_path_headers_and_body(): void
    {
        $requests = [];

        for ($i = 0; $i < 40; $i++) {
            $requests[] = new Request(
                $this->server->url("/ok/{$i}"),
                ['GET', 'POST', 'PUT', 'DELETE'][$i % 4],
                $i % 4 === 1 ? "body {$i}" : null,
                ["X-Number: {$i}"],
            );
        }

        $source = new Lines($requests);
        $seen = new Seen;
        $result = (new LoadGenerator)->run(Plan::everything(concurrency: 3, keepBytes: 100), $source, $seen);
        $arrived = $this->server->requests();
        usort($arrived, static fn (SeenRequest $a, SeenRequest $b): int => strnatcmp($a->path, $b->path));

        self::assertSame([40, 40, 41], [$result->succeeded(), count($arrived), $source->asked]);

        foreach ($arrived as $i => $request) {
            self::assertSame(
                [$requests[$i]->method, "/ok/{$i}", $requests[$i]->body ?? ''],
                [$request->method, $request->path, $request->body],
            );
            self::assertContains("X-Number: {$i}", $request->headers);
            self::assertSame(
                $i % 4 === 1,
                in_array('Content-Type: application/x-www-form-urlencoded', $request->headers, true),
            );
            self::assertSame(
                in_array($i % 4, [1, 2], true),
                array_filter(
                    $request->headers,
                    static fn (string $header): bool => str_starts_with($header, 'Content-Length:'),
                ) !== [],
            );
            self::assertSame($requests[$i], $seen->requests[$i]);
            self::assertSame('ok '.($requests[$i]->body ?? ''), $seen->responses[$i]->body);
        }
    }

    #[Test]
    public function the_observer_sees_as_much_of_the_body_as_asked(): void
    {
        $body = str_repeat('0123456789', 30_000);
        $seen = new Seen;
        $result = (new LoadGenerator)->run(
            Plan::requests(4, concurrency: 2, keepBytes: 12),
            new SameRequest(new Request($this->server->url('/ok'), 'POST', $body)),
            $seen,
        );

        self::assertSame(4 * 300_003, $result->bytes);

        foreach ($seen->responses as $response) {
            self::assertSame(
                [200, 'ok 012345678', 300_003, null, false],
                [$response->status, $response->body, $response->bytes, $response->failure, $response->resent],
            );
        }

        self::assertSame(
            array_fill(0, 4, '300000'),
            array_map(static fn (SeenRequest $request): string => $request->body, $this->server->requests()),
        );
    }

    /** @return iterable<string, array{?int}> */
    public static function bodyLengths(): iterable
    {
        yield 'no body' => [null];

        foreach ([0, 1, 1_000, 60_000, 66_000, 300_000] as $length) {
            yield "{$length} bytes" => [$length];
        }
    }

    #[Test, Group('day-2')]
    #[DataProvider('bodyLengths')]
    public function a_request_that_libcurl_sends_again_is_told(?int $length): void
    {
        $seen = new Seen;
        $request = new Request(
            $this->server->url('/second'),
            $length === null ? 'GET' : 'POST',
            $length === null ? null : str_repeat('x', $length),
        );
        $result = (new LoadGenerator)->run(Plan::requests(5, concurrency: 1), new SameRequest($request), $seen);

        self::assertCount(9, $this->server->requests());
        self::assertSame([5, 5, 4], [$result->sent(), $result->succeeded(), $result->resent]);
        self::assertSame(
            [false, true, true, true, true],
            array_map(static fn (Response $response): bool => $response->resent, $seen->responses),
        );
    }

    #[Test]
    public function a_server_that_closes_every_connection_costs_connections_and_nothing_else(): void
    {
        $result = $this->send('/last', Plan::requests(30, concurrency: 3));

        self::assertSame([30, 30, 0], [$result->succeeded(), $result->connections, $result->resent]);
    }

    #[Test]
    public function an_observer_can_end_the_run(): void
    {
        $generator = new LoadGenerator;
        $seen = new Seen(static fn (int $count) => $count === 10 ? $generator->stop() : null);
        $result = $generator->run(
            Plan::duration(60.0, concurrency: 4),
            new SameRequest(new Request($this->server->url('/slow/5'))),
            $seen,
        );

        self::assertTrue($result->stoppedEarly);
        self::assertLessThan(30.0, $result->seconds);
        self::assertSame(count($seen->responses), $result->finished());
        self::assertSame($result->sent(), $result->finished() + $result->unfinished);
        self::assertGreaterThanOrEqual(10, $result->finished());
        self::assertLessThanOrEqual(13, $result->finished());
    }

    #[Test]
    public function a_generator_can_run_again_after_an_observer_threw(): void
    {
        $generator = new LoadGenerator;
        $source = new SameRequest(new Request($this->server->url('/ok')));

        try {
            $generator->run(Plan::requests(5), $source, new Seen(static fn () => throw new RuntimeException('enough')));
            self::fail('The exception was lost.');
        } catch (RuntimeException $e) {
            self::assertSame('enough', $e->getMessage());
        }

        self::assertSame(5, $generator->run(Plan::requests(5), $source)->succeeded());
    }

    #[Test]
    public function the_clients_own_cpu_time_is_told(): void
    {
        $source = new SameRequest(new Request($this->server->url('/slow/150')));
        $busy = (new LoadGenerator(new SystemClock, new SteppingCpuTime(600_000_000)))->run(Plan::requests(1), $source);
        $idle = (new LoadGenerator(new SystemClock, new SteppingCpuTime(0)))->run(Plan::requests(1), $source);
        $real = (new LoadGenerator)->run(Plan::requests(1), $source);

        self::assertTrue($busy->isClientLimited());
        self::assertSame(0.0, $idle->cpuShare);
        self::assertFalse($idle->isClientLimited());
        self::assertGreaterThan(0.0, $real->cpuShare);
    }

    #[Test]
    public function waiting_for_an_answer_is_not_a_busy_loop(): void
    {
        $clock = new CountingClock;
        $result = (new LoadGenerator($clock))->run(
            Plan::requests(1),
            new SameRequest(new Request($this->server->url('/slow/300'))),
        );

        self::assertSame(1, $result->succeeded());
        self::assertGreaterThan(0, $clock->looks);
        self::assertLessThan(150, $clock->looks);
    }

    #[Test]
    public function a_request_that_would_begin_after_the_time_is_neither_sent_nor_counted(): void
    {
        $late = new Seen(static fn () => (new SystemClock)->sleep(1_100_000));
        $result = (new LoadGenerator)->run(
            Plan::duration(1.0, concurrency: 1),
            new SameRequest(new Request($this->server->url('/ok'))),
            $late,
        );

        self::assertSame([1, 1, 0], [$result->sent(), $result->succeeded(), $result->unfinished]);
        self::assertCount(1, $this->server->requests());
    }

    #[Test]
    public function a_user_pauses_after_each_answer_and_its_response_times_do_not_say_so(): void
    {
        $clock = new CountingClock;
        $result = (new LoadGenerator($clock))->run(
            Plan::requests(4, concurrency: 2, pause: 0.4),
            new SameRequest(new Request($this->server->url('/ok'))),
        );

        self::assertSame(4, $result->succeeded());
        // The second user begins in the middle of the first pause and pauses once itself.
        self::assertGreaterThanOrEqual(0.6, $result->seconds);
        self::assertLessThan(400_000, $result->latency()->min());
        self::assertLessThan(200, $clock->looks, 'A pause is no busy loop.');
        self::assertSame(0.4, $result->plan->toArray()['pause_s']);
    }

    #[Test]
    public function users_that_pause_begin_one_after_the_other(): void
    {
        self::assertSame(1, $this->send('/ok', Plan::duration(0.2, concurrency: 4, pause: 8.0))->sent());
        Patience::until(fn (): bool => $this->server->requests() !== [], 'the request is written down');
        self::assertCount(1, $this->server->requests());
    }

    #[Test]
    public function a_run_does_not_wait_through_the_last_pause(): void
    {
        self::assertLessThan(30.0, $this->send('/ok', Plan::requests(1, concurrency: 1, pause: 60.0))->seconds);
    }

    #[Test]
    public function every_request_is_in_the_timeline_where_it_began_and_where_it_ended(): void
    {
        $source = new Lines(array_map(
            fn (int $i): Request => new Request($this->server->url($i % 3 === 0 ? '/status/503' : '/slow/40')),
            range(0, 59),
        ));
        $result = (new LoadGenerator)->run(Plan::everything(concurrency: 4), $source);
        $slots = $result->timeline->intervals();

        self::assertGreaterThan(2, count($slots));
        self::assertSame([60, 40, 20], [
            array_sum(array_map(static fn (Interval $slot): int => $slot->sent, $slots)),
            array_sum(array_map(static fn (Interval $slot): int => $slot->succeeded, $slots)),
            array_sum(array_map(static fn (Interval $slot): int => $slot->errors['status_503'] ?? 0, $slots)),
        ]);
        self::assertSame(60, array_sum(array_map(static fn (Interval $slot): int => $slot->latency->count(), $slots)));
        self::assertSame(4, max(array_map(static fn (Interval $slot): int => $slot->inFlight, $slots)));
    }

    #[Test]
    public function a_time_in_which_the_server_says_nothing_is_in_the_timeline(): void
    {
        $slots = $this->send('/hang', Plan::duration(0.9, concurrency: 3, timeout: 0.55))->timeline->intervals();

        self::assertSame(3, $slots[0]->sent);
        self::assertSame([0, 0, 3], [$slots[2]->sent, $slots[2]->errors(), $slots[2]->inFlight]);
        self::assertCount(8, $slots);
        self::assertSame(
            3,
            array_sum(array_map(
                static fn (Interval $slot): int => $slot->errors['timeout_waiting'] ?? 0,
                array_slice($slots, 4),
            )),
        );
    }
}
