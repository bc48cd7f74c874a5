<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Process\Ports;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\ReceivedRequest;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Contract\Support\SendsToElasticsearch;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The requests that a delivery is sent in, their sizes, and the nodes that they go to.
 */
#[Group('smoke')]
final class ElasticsearchSinkRequestsTest extends TestCase
{
    use SendsToElasticsearch;

    #[Test]
    public function a_request_is_what_the_server_wants(): void
    {
        self::assertNull($this->failure($this->sink(['auth' => ['api_key' => 'c2VzYW1l']]), $this->delivery(3)));
        [$request] = $this->server->requests();

        self::assertSame('POST', $request->method);
        self::assertSame(
            '/events/_bulk?filter_path=took,errors,items.*._id,items.*.status,items.*.error.type,items.*.error.reason',
            $request->path,
        );
        self::assertSame('application/x-ndjson', $request->headers['content-type']);
        self::assertSame('ApiKey c2VzYW1l', $request->headers['authorization']);
        self::assertSame((string) strlen($request->body), $request->headers['content-length']);
        self::assertArrayNotHasKey('content-encoding', $request->headers, 'Within a machine it does not pay.');
        self::assertStringEndsWith("}\n", $request->body);
        self::assertCount(7, explode("\n", $request->body));
    }

    #[Test]
    public function on_a_line_the_body_is_compressed(): void
    {
        self::assertNull($this->failure(
            $this->sink(['url' => "http://0.0.0.0:{$this->server->port}"]),
            $this->delivery(100),
        ));
        [$request] = $this->server->requests();

        self::assertSame('gzip', $request->headers['content-encoding']);
        self::assertLessThan(strlen($request->body) / 2, (int) $request->headers['content-length']);
        self::assertCount(100, $this->server->documents());
    }

    #[Test]
    public function a_delivery_of_any_size_goes_in_requests_of_a_thousand(): void
    {
        self::assertNull($this->failure($this->sink(), $this->delivery(2500)));

        self::assertEqualsCanonicalizing([1000, 1000, 500], $this->sizes());
        self::assertCount(2500, $this->server->documents());
    }

    #[Test]
    public function a_delivery_goes_in_requests_of_five_megabytes(): void
    {
        $log = ContractLog::of('events')->delivery(array_map(
            static fn (int $n): array => ['n' => $n, 'text' => str_repeat('x', 1_500_000)],
            range(1, 4),
        ));
        self::assertNull($this->failure($this->sink(), $log));

        self::assertEqualsCanonicalizing([3, 1], $this->sizes());
    }

    #[Test]
    public function a_request_that_is_too_large_is_halved_until_it_is_not(): void
    {
        $this->server->always(['most' => 3000]);
        $sink = $this->sink();
        self::assertNull($this->failure($sink, $this->delivery(100)));
        self::assertCount(100, $this->server->documents());
        $before = count($this->server->requests());
        self::assertGreaterThan(3000, strlen($this->server->requests()[0]->body));
        self::assertNull($this->failure($sink, $this->delivery(100)));
        $learnt = array_map(
            static fn (ReceivedRequest $request): int => strlen($request->body),
            array_slice($this->server->requests(), $before),
        );
        self::assertLessThanOrEqual(3000, max([0, ...$learnt]), 'It knows how much may be in one.');
        self::assertGreaterThan(1, count($learnt));
    }

    #[Test]
    public function a_server_that_is_busy_is_asked_less_and_then_left_alone(): void
    {
        $this->server->always(['status' => 429]);
        $sink = $this->sink();
        self::assertInstanceOf(UnableToSend::class, $this->failure($sink, $this->delivery(1000)));
        $asked = $this->sizes();
        self::assertSame([1000, 500], [$asked[0], $asked[1]]);
        $this->server->always(null);
        self::assertNull($this->failure($sink, $this->delivery(1000)));
        self::assertLessThan(500, array_slice($this->sizes(), count($asked))[0]);
    }

    #[Test, Group('day-3')]
    public function it_grows_back(): void
    {
        $sink = $this->sink();
        $this->server->next(['status' => 429]);
        self::assertNull($this->failure($sink, $this->delivery(1000)));

        for ($i = 0; $i < 10; $i++) {
            self::assertNull($this->failure($sink, $this->delivery(3000)));
        }

        self::assertContains(1000, array_slice($this->sizes(), 1));
    }

    #[Test]
    public function nodes_are_asked_in_turn_and_a_dead_one_rests(): void
    {
        $other = ScriptedServer::start();

        try {
            $sink = $this->sink(['url' => [
                "http://127.0.0.1:{$this->server->port}", "http://127.0.0.1:{$other->port}",
            ]]);
            self::assertNull($this->failure($sink, $this->delivery(4000)));
            self::assertCount(2, $this->server->requests());
            self::assertCount(2, $other->requests());
            $other->stop();
            self::assertNull(
                $this->failure($sink, $this->delivery(4000)),
                'What it did not take goes to the other one.',
            );
            self::assertCount(2000 + 4000, $this->server->documents());
        } finally {
            $other->stop();
        }
    }

    #[Test]
    public function where_none_is_left_the_events_wait(): void
    {
        [$one, $two] = [Ports::free(), Ports::free()];
        $failure = $this->failure(
            $this->sink(['url' => ["http://127.0.0.1:{$one}/sesame", "http://127.0.0.1:{$two}/sesame"]]),
            $this->delivery(3),
        );

        self::assertInstanceOf(UnableToSend::class, $failure);
        self::assertMatchesRegularExpression("~http://127\\.0\\.0\\.1:({$one}|{$two})\\s~", $failure->getMessage());
        self::assertStringNotContainsString('sesame', $failure->getMessage());
    }

    #[Test]
    public function connections_are_kept(): void
    {
        $sink = $this->sink();
        $this->failure($sink, $this->delivery(10));
        $this->failure($sink, $this->delivery(10));

        self::assertSame(
            [1, 1],
            array_map(static fn (ReceivedRequest $request): int => $request->connection, $this->server->requests()),
        );
    }
}
