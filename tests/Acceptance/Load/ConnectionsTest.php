<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Core\SystemClock;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\SameRequest;
use Headroom\Load\Transport\Client;
use Headroom\Load\Transport\EncodedRequest;
use Headroom\Load\Transport\Exchange;
use Headroom\Load\UnableToLoad;
use Headroom\Process\Programs;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;
use Symfony\Component\Process\Process;

/**
 * Servers close or reset connections, and each request on them is counted.
 */
#[RequiresPhpExtension('posix')]
final class ConnectionsTest extends GeneratorTestCase
{
    protected const SCRIPT = 'peer.php';

    /** @return iterable<string, array{string}> */
    public static function ends(): iterable
    {
        yield 'closed' => ['/idle/1'];
        yield 'told that it took too long' => ['/408/1'];
        yield 'sent what nobody asked for' => ['/unasked/1'];
    }

    /** One user who pauses is longer away than a connection lasts: it is not used again, and nothing goes out twice. */
    #[Test]
    #[DataProvider('ends')]
    public function a_connection_that_ended_while_unused_is_not_used_again(string $path): void
    {
        $result = $this->send($path, Plan::requests(5, concurrency: 1, pause: 0.3));

        self::assertSame(
            [5, 5, [200 => 5], 5, 0],
            [$result->sent(), $result->succeeded(), $result->statuses, $result->connections, $result->resent],
        );
        self::assertCount(5, $this->server->requests());
    }

    /** To a clock that stands still every connection was used just now. */
    #[Test]
    public function a_server_that_closed_a_kept_connection_is_not_trusted_again(): void
    {
        $client = new Client(new ManualClock, 30.0, false, 1);
        $seen = [];

        try {
            for ($i = 0; $i < 4; $i++) {
                $exchange = $this->exchange($client, $this->server->url('/idle/0'));
                $seen[] = [$exchange->status, $exchange->connections, $exchange->isResent];
                (new SystemClock)->sleep(300_000);
            }
        } finally {
            $client->close();
        }

        self::assertSame([[200, 1, false], [200, 1, true], [200, 1, false], [200, 1, false]], $seen);
    }

    #[Test]
    public function a_connection_carries_as_many_requests_as_the_server_lets_it(): void
    {
        $result = $this->send('/times/4', Plan::requests(40, concurrency: 1));

        self::assertSame([40, 10, 0], [$result->succeeded(), $result->connections, $result->resent]);
        self::assertCount(40, $this->server->requests());
    }

    #[Test]
    public function connections_are_shared_by_users_that_pause(): void
    {
        $result = $this->send('/ok', Plan::requests(10, concurrency: 10, pause: 4.0));

        self::assertSame(10, $result->succeeded());
        self::assertLessThan(10, $result->connections);
    }

    #[Test]
    public function two_servers_get_no_more_connections_together_than_there_are_users(): void
    {
        $other = HttpServer::start('peer.php');

        try {
            $source = new Lines(array_map(
                fn (int $i): Request => new Request(($i % 2 === 0 ? $this->server : $other)->url('/ok')),
                range(0, 19),
            ));
            $result = (new LoadGenerator)->run(Plan::everything(concurrency: 1), $source);
            // One connection may be open: it is closed for the other server each time.
            self::assertSame([20, 20, 0], [$result->succeeded(), $result->connections, $result->resent]);
            self::assertSame([10, 10], [count($this->server->requests()), count($other->requests())]);
            $result = (new LoadGenerator)->run(
                Plan::everything(concurrency: 2),
                new Lines(array_map(
                    fn (int $i): Request => new Request((intdiv($i, 2) % 2 === 0 ? $this->server : $other)->url('/ok')),
                    range(0, 19),
                )),
            );
            self::assertSame(20, $result->succeeded());
        } finally {
            $other->stop();
        }
    }

    /** @return iterable<string, array{string}> */
    public static function endings(): iterable
    {
        foreach (['/deaf', '/broken', '/half', '/closed/10', '/times/1', '/early/0'] as $path) {
            yield $path => [$path];
        }
    }

    #[Test, Group('day-3')]
    #[DataProvider('endings')]
    public function a_connection_that_has_ended_takes_no_room_from_those_that_are_kept(string $path): void
    {
        $other = HttpServer::start('peer.php');
        $client = new Client(new SystemClock, 2.0, false, 2);

        try {
            foreach ([1, 2] as $_) {
                $this->exchange($client, $this->server->url($path));
            }

            $this->exchange($client, $this->server->url('/ok'));
            $this->exchange($client, $other->url('/ok'));

            self::assertSame(
                [200, 0],
                [($again = $this->exchange($client, $this->server->url('/ok')))->status, $again->connections],
            );
        } finally {
            $client->close();
            $other->stop();
        }
    }

    #[Test]
    public function a_failure_at_once_keeps_no_answer_from_being_read(): void
    {
        $generator = new LoadGenerator;
        $good = new Request($this->server->url('/wait/50'));
        $source = new class($good) implements RequestSource
        {
            private readonly Request $bad;

            public function __construct(private readonly Request $good)
            {
                $this->bad = new Request('http://nobody.invalid/');
            }

            public function next(int $number): Request
            {
                return $number === 0 ? $this->good : $this->bad;
            }
        };
        $seen = new NumberedEnd(0, $generator->stop(...));
        $result = $generator->run(Plan::duration(20.0, concurrency: 2), $source, $seen);

        self::assertTrue($result->stoppedEarly, 'The answer was never read.');
        self::assertSame(1, $result->succeeded());
        self::assertSame($result->sent(), 1 + $result->count(Outcome::ConnectError) + $result->unfinished);
    }

    /** @return iterable<string, array{string, int}> */
    public static function waits(): iterable
    {
        yield 'for an answer' => ['/deaf', 0];
        yield 'to send the rest' => ['/deaf', 8_000_000];
        yield 'for an answer, while kept connections end' => ['/idle/20', 0];
    }

    #[Test]
    #[DataProvider('waits')]
    public function waiting_is_no_busy_loop(string $path, int $bytes): void
    {
        $clock = new CountingClock;
        $request = new Request($this->server->url($path), 'POST', str_repeat('x', $bytes));
        $result = (new LoadGenerator($clock))->run(
            Plan::requests(4, concurrency: 2, timeout: 0.5, pause: 0.2),
            new SameRequest($request),
        );

        self::assertSame([4, 0], [$result->sent(), $result->unfinished]);
        self::assertLessThan(400, $clock->looks);
    }

    #[Test]
    public function one_that_times_out_delays_no_other(): void
    {
        $source = new Lines(array_map(
            fn (int $i): Request => new Request($this->server->url($i < 20 ? '/deaf' : '/wait/5')),
            range(0, 199),
        ));
        $result = (new LoadGenerator)->run(Plan::everything(concurrency: 30, timeout: 3.0), $source);

        self::assertSame([200, 180, 20], [$result->sent(), $result->succeeded(), $result->count(Outcome::Timeout)]);
        self::assertGreaterThanOrEqual(2_999_000, $result->latencyWithTimeouts()->percentile(95));
        self::assertLessThan(1_500_000, $result->latency()->percentile(50));
        self::assertCount(200, $this->server->requests());
    }

    #[Test, Group('day-2')]
    public function all_of_it_at_once_breaks_no_sum(): void
    {
        $random = new Randomizer(new Mt19937(7));
        $paths = [
            '/ok', '/idle/0', '/idle/3', '/408/0', '/unasked/0', '/times/2', '/early/0', '/early/1000', '/broken',
            '/half', '/drip/50', '/closed/1000', '/wait/5', '/slowly', '/deaf',
        ];
        $requests = [];

        for ($i = 0; $i < 1_500; $i++) {
            // Few are never answered, or all would wait for them.
            $path = $paths[$random->getInt(0, $i % 100 === 0 ? 14 : 13)];
            $requests[] = new Request(
                $this->server->url($path),
                'POST',
                str_repeat('x', [0, 10, 300_000][$random->getInt(0, 2)]),
            );
        }

        $result = (new LoadGenerator)->run(
            Plan::everything(concurrency: 40, timeout: 5.0),
            new Lines($requests),
            $seen = new Seen,
        );
        $counts = array_map(
            $result->count(...),
            [Outcome::HttpError, Outcome::WrongResponse, Outcome::Timeout, Outcome::ConnectError, Outcome::OtherError],
        );

        self::assertSame(
            [1_500, 1_500, 0],
            [$result->sent(), $result->succeeded() + array_sum($counts), $result->unfinished],
        );
        self::assertCount(1_500, $seen->responses);
        self::assertSame(0, $result->count(Outcome::ConnectError));
        // The client may take an unsolicited response for the answer to a request that the server has not read. A
        // request that is sent again may have been seen before, or not.
        $unasked = ($result->statuses[408] ?? 0) + ($result->statuses[500] ?? 0);
        self::assertThat(
            count($this->server->requests()),
            self::logicalAnd(
                self::greaterThanOrEqual(1_500 - $unasked),
                self::lessThanOrEqual(1_500 + $result->resent),
            ),
        );
    }

    #[Test]
    public function more_users_than_one_process_can_wait_for_are_refused(): void
    {
        // Also where fewer files are allowed: more would not help.
        $this->expectException(UnableToLoad::class);
        $this->expectExceptionMessageMatches('/\b2000 .*\b1,024\b.*--processes=3\b/');

        $this->send('/ok', Plan::requests(2_000, concurrency: 2_000));
    }

    #[Test]
    public function files_that_the_application_has_open_leave_fewer_for_connections(): void
    {
        $script = 'require $argv[1]; for ($i = 0; $i < 100; $i++) { $files[] = fopen("/dev/null", "r"); }'
            .'(new Headroom\Load\Executor\LoadGenerator)->run(Headroom\Load\Plan::requests(100, 100),'
            .' new Headroom\Load\SameRequest(new Headroom\Load\Request($argv[2])));';
        $process = new Process([
            '/bin/sh',
            '-c',
            'ulimit -n 200 && exec "$@"',
            'sh',
            Programs::php(),
            '-r',
            $script,
            dirname(__DIR__, 3).'/vendor/autoload.php',
            $this->server->url('/ok'),
        ]);
        $process->run();

        self::assertMatchesRegularExpression(
            '/UnableToLoad: 100 \D+2\d\d .*ulimit -n 2\d\d/',
            $process->getErrorOutput().$process->getOutput(),
        );
        self::assertSame([], $this->server->requests());
    }

    private function exchange(Client $client, string $url): Exchange
    {
        $exchange = new Exchange;
        $exchange->prepare(EncodedRequest::of(new Request($url, 'POST', 'x')), null);
        $client->begin($exchange);

        while ($client->inFlight() > 0) {
            $client->work(1_000_000);
        }

        return $exchange;
    }
}
