<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Expectation;
use Headroom\Load\Failure;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\Response;
use Headroom\Load\SameRequest;
use Headroom\Process\Ports;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;

/**
 * Requests that fail, each counted by the kind of its failure.
 */
#[RequiresPhpExtension('posix')]
final class GeneratorFailuresTest extends GeneratorTestCase
{
    /** @return iterable<string, array{string, Failure, bool}> */
    public static function failures(): iterable
    {
        yield 'an answer that never comes' => ['/hang', Failure::TimeoutWaiting, true];
        yield 'an answer that stops in the middle' => ['/stall', Failure::TimeoutReceiving, true];
        yield 'a connection closed without an answer' => ['/close', Failure::ClosedUnanswered, true];
        yield 'an answer cut short' => ['/cut', Failure::CutShort, true];
        yield 'an answer that is not HTTP' => ['/garbage', Failure::NotHttp, true];
        yield 'a header that is too long' => ['/header/2000000', Failure::HeaderTooLong, true];
        yield 'a reset connection' => ['/reset', Failure::Reset, false];
    }

    #[Test, Group('day-3')]
    #[DataProvider('failures')]
    public function a_failure_is_counted_by_its_kind(string $path, Failure $failure, bool $arrives): void
    {
        $seen = new Seen;
        // Where the time is not what ends it, it is not to be.
        $timeout = $failure->outcome() === Outcome::Timeout ? 1.0 : 30.0;
        $result = (new LoadGenerator)->run(
            Plan::requests(9, concurrency: 3, timeout: $timeout),
            new SameRequest(new Request($this->server->url($path))),
            $seen,
        );

        self::assertSame(
            [9, 0, 9, 0],
            [$result->sent(), $result->succeeded(), $result->count($failure->outcome()), $result->unfinished],
        );
        self::assertCount(1, $result->failures);
        self::assertSame([$failure, 9], [$result->failures[0]->failure, $result->failures[0]->count]);
        self::assertNotSame('', $result->failures[0]->message);
        self::assertSame(
            array_fill(0, 9, $failure),
            array_map(static fn (Response $response): ?Failure => $response->failure, array_values($seen->responses)),
        );
        self::assertCount(
            $arrives ? 9 : 0,
            array_filter($this->server->requests(), static fn (SeenRequest $request): bool => $request->path === $path),
        );
    }

    #[Test]
    public function a_server_that_never_answers_times_out_every_request_at_the_limit(): void
    {
        $result = $this->send('/hang', Plan::requests(20, concurrency: 10, timeout: 0.2));

        self::assertSame(
            [20, 20, 20],
            [$result->sent(), $result->count(Outcome::Timeout), $result->latencyWithTimeouts()->count()],
        );
        self::assertSame(0, $result->latency()->count());
        self::assertGreaterThanOrEqual(199_000, $result->latencyWithTimeouts()->min());
        self::assertSame(0.0, $result->requestsPerSecond());
    }

    #[Test]
    public function a_run_with_a_duration_ends_although_nothing_is_answered(): void
    {
        $result = $this->send('/hang', Plan::duration(0.3, concurrency: 5, timeout: 60.0));

        self::assertSame([5, 0, 5], [$result->sent(), $result->finished(), $result->unfinished]);
        self::assertGreaterThanOrEqual(0.3, $result->seconds);
        self::assertLessThan(30.0, $result->seconds);
        self::assertFalse($result->stoppedEarly);
    }

    #[Test]
    public function timeouts_and_requests_in_flight_at_the_end_are_told_apart(): void
    {
        $result = $this->send('/hang', Plan::duration(0.5, concurrency: 4, timeout: 0.2));

        // The second timeout may be seen at the end only.
        self::assertContains($result->unfinished, [0, 4]);
        self::assertGreaterThanOrEqual(4, $result->count(Outcome::Timeout));
        self::assertSame($result->sent(), $result->count(Outcome::Timeout) + $result->unfinished);
    }

    #[Test]
    public function a_closed_port_refuses_every_request(): void
    {
        $port = Ports::free();
        $result = (new LoadGenerator)->run(
            Plan::requests(30, concurrency: 4),
            new SameRequest(new Request("http://127.0.0.1:{$port}/")),
        );

        self::assertSame([30, 30, 0], [$result->sent(), $result->count(Outcome::ConnectError), $result->connections]);
        self::assertSame(Failure::Refused, $result->failures[0]->failure);
    }

    #[Test]
    public function a_server_that_is_gone_in_the_middle_of_the_run_breaks_no_sum(): void
    {
        $seen = new Seen(fn (int $count) => $count === 50 ? $this->server->stop() : null);
        $result = (new LoadGenerator)->run(
            Plan::requests(200, concurrency: 4, timeout: 5.0),
            new SameRequest(new Request($this->server->url('/ok'))),
            $seen,
        );

        self::assertSame(200, $result->sent());
        self::assertSame(
            200,
            $result->succeeded() + $result->count(Outcome::ConnectError) + $result->count(Outcome::OtherError),
        );
        self::assertGreaterThanOrEqual(50, $result->succeeded());
        self::assertLessThan(60, $result->succeeded());
        self::assertCount(200, $seen->responses);
    }

    #[Test]
    public function error_statuses_are_http_errors_and_redirects_are_not_followed(): void
    {
        $source = new Lines(array_map(
            fn (string $path): Request => new Request($this->server->url($path)),
            ['/ok', '/status/404', '/redirect', '/status/500', '/status/503'],
        ));
        $result = (new LoadGenerator)->run(Plan::everything(concurrency: 2), $source);

        self::assertSame([5, 2, 3], [$result->sent(), $result->succeeded(), $result->count(Outcome::HttpError)]);
        self::assertSame([200 => 1, 302 => 1, 404 => 1, 500 => 1, 503 => 1], $result->statuses);
        self::assertCount(5, $this->server->requests());
    }

    #[Test]
    public function each_answer_is_searched_for_itself(): void
    {
        $source = new Lines(array_map(
            fn (int $i): Request => new Request($this->server->url('/ok'), 'POST', $i % 2 === 0 ? 'needle' : 'hay'),
            range(0, 9),
        ));
        $result = (new LoadGenerator)->run(
            Plan::everything(concurrency: 1, expected: new Expectation([200], 'needle')),
            $source,
        );

        self::assertSame([10, 5, 5], [$result->sent(), $result->succeeded(), $result->count(Outcome::WrongResponse)]);
        self::assertSame([200 => 10], $result->statuses);
        self::assertSame(10, $result->latency()->count());
    }
}
