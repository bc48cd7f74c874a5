<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Clock;
use Headroom\Process\Ports;
use Headroom\Sink\BatchRejected;
use Headroom\Sink\Delivery;
use Headroom\Sink\Elasticsearch\ElasticsearchSink;
use Headroom\Sink\Elasticsearch\IndexRefused;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\EndpointRefused;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Sink\HttpClient\UnreadableAnswer;
use Headroom\Sink\InvalidRecords;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\RetryLater;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\ReceivedRequest;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * What a cluster answers, and what is made of it.
 */
#[Group('smoke')]
final class ElasticsearchSinkAnswersTest extends TestCase
{
    private ScriptedServer $server;

    private SetClock $clock;

    protected function setUp(): void
    {
        $this->server = ScriptedServer::start();
        $this->clock = new SetClock(1_784_000_000_000_000);
    }

    protected function tearDown(): void
    {
        $this->server->stop();
    }

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
    public function a_document_that_exists_already_counts_as_arrived(): void
    {
        $delivery = $this->delivery(5);
        self::assertNull($this->failure($this->sink(), $delivery));
        self::assertNull($this->failure($this->sink(), $delivery));
        self::assertCount(5, $this->server->documents());
    }

    #[Test]
    public function documents_without_time_for_them_are_sent_again_alone(): void
    {
        self::assertNull($this->failure($this->sink(), $this->delivery(6, [1 => ['times' => 1], 4 => ['times' => 2]])));

        self::assertSame([6, 2, 1], $this->sizes());
        self::assertCount(6, $this->server->documents());
        self::assertGreaterThanOrEqual(1_784_000_000_000_000 + 150_000, $this->clock->micros, 'It waits before each.');
    }

    #[Test]
    #[TestWith([429])]
    #[TestWith([503])]
    #[TestWith([500])]
    public function documents_that_never_get_their_time_come_again_with_all_others(int $status): void
    {
        $this->assertOneLeft(
            6,
            $this->failure($this->sink(), $this->delivery(6, [2 => ['fate' => $status], 3 => ['fate' => 400]])),
        );
        self::assertSame([6, 1, 1], $this->sizes());
        self::assertCount(4, $this->server->documents());
    }

    #[Test]
    public function a_refused_document_is_named_by_number_and_reason_without_its_content(): void
    {
        $this->server->next(['items' => [1 => [
            400,
            'mapper_parsing_exception',
            "failed to parse field [n] of type [long] in document with id 'x'. Preview of field's value:"
                ." 'confidential'",
        ]]]);
        $failure = $this->failure($this->sink(), $this->delivery(3));

        self::assertInstanceOf(PartialBatchFailure::class, $failure);
        self::assertSame([1], array_keys($failure->refused()));
        self::assertStringContainsString(
            'HTTP 400 mapper_parsing_exception: failed to parse field [n] of type [long]',
            $failure->refused()[1],
        );
        self::assertStringNotContainsString('confidential', $failure->getMessage().$failure->refused()[1]);
        self::assertCount(2, $this->server->documents());
    }

    #[Test]
    #[TestWith(["The prefix of the first immense term is: '[99, 111]'", '99, 111'])]
    #[TestWith(['For input string: "confidential"', 'confidential'])]
    #[TestWith(['Value [confidential] is out of range for a long', 'confidential'])]
    #[TestWith(["Unrecognized token 'confidential'", 'confidential'])]
    public function a_reason_that_repeats_the_content_does_not_show_it(string $reason, string $secret): void
    {
        $this->server->next(['items' => [1 => [400, 'illegal_argument_exception', $reason]]]);
        $failure = $this->failure($this->sink(), $this->delivery(3));

        self::assertInstanceOf(PartialBatchFailure::class, $failure);
        self::assertStringNotContainsString($secret, $failure->getMessage().$failure->refused()[1]);
    }

    #[Test]
    public function a_reason_without_end_is_cut(): void
    {
        $this->server->next(['items' => [0 => [400, 'mapper_parsing_exception', str_repeat('long ', 700)]]]);
        $failure = $this->failure($this->sink(), $this->delivery(2));

        self::assertInstanceOf(PartialBatchFailure::class, $failure);
        self::assertLessThan(600, strlen($failure->refused()[0]));
    }

    #[Test]
    #[TestWith([403, 'cluster_block_exception', 'index.blocks'])]
    #[TestWith([403, 'security_exception', "'auth'"])]
    #[TestWith([404, 'index_not_found_exception', 'collect:install'])]
    #[TestWith([400, 'invalid_index_name_exception', "'index'"])]
    #[TestWith([400, 'validation_exception', "'index'"])]
    public function a_problem_of_the_index_is_not_the_fault_of_an_event(int $status, string $type, string $next): void
    {
        $this->server->always(['items' => array_fill(0, 3, [$status, $type, 'so it is'])]);
        $failure = $this->failure($this->sink(), $this->delivery(3));

        self::assertInstanceOf(IndexRefused::class, $failure);
        self::assertStringContainsString($next, $failure->getMessage());
    }

    #[Test]
    public function where_some_have_arrived_already_it_is_not_said_that_none_has(): void
    {
        $this->server->next(['items' => [2 => [403, 'cluster_block_exception', 'so it is']]]);
        $failure = $this->failure($this->sink(), $this->delivery(3));

        self::assertNotInstanceOf(BatchRejected::class, $failure);
        $this->assertOneLeft(3, $failure);
    }

    #[Test]
    #[TestWith([401])]
    #[TestWith([403])]
    public function a_sender_that_is_not_known_stops_and_shows_no_key(int $status): void
    {
        $this->server->always(['status' => $status]);
        $failure = $this->failure(
            $this->sink([
                'url' => "http://ada:sesame@127.0.0.1:{$this->server->port}/path",
                'auth' => ['basic' => 'eve:pass-phrase'],
            ]),
            $this->delivery(3),
        );

        self::assertInstanceOf(EndpointRefused::class, $failure);
        self::assertStringContainsString("HTTP {$status}", $failure->getMessage());
        self::assertStringContainsString("'auth'", $failure->getMessage());
        self::assertStringNotContainsString('sesame', $failure->getMessage());
        self::assertStringNotContainsString('pass-phrase', $failure->getMessage());
        self::assertSame(
            'Basic '.base64_encode('eve:pass-phrase'),
            $this->server->requests()[0]->headers['authorization'],
        );
        self::assertCount(1, $this->server->requests());
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
    public function a_single_document_that_is_too_large_is_refused_and_the_others_arrive(): void
    {
        $this->server->always(['most' => 3000]);
        $failure = $this->failure($this->sink(), $this->delivery(6, [4 => ['text' => str_repeat('x', 5000)]]));

        self::assertInstanceOf(PartialBatchFailure::class, $failure);
        self::assertSame([4], array_keys($failure->refused()));
        self::assertStringContainsString('HTTP 413', $failure->refused()[4]);
        self::assertCount(5, $this->server->documents());
    }

    /** @param array<string, mixed> $act */
    #[Test, Group('day-2')]
    #[TestWith([['fewer' => 1]])]
    #[TestWith([['fewer' => 3]])]
    #[TestWith([['swapped' => true]])]
    #[TestWith([['mute' => true, 'body' => 'OK']])]
    #[TestWith([['mute' => true, 'body' => '']])]
    #[TestWith([['mute' => true, 'body' => '{"took":1,"errors":false}']])]
    #[TestWith([[
        'mute' => true,
        'body' => '{"took":1,"errors":false,"items":[{"create":{"status":201}},{"create":{"status":201}},'
            .'{"create":{"status":201}}]}',
    ]])]
    #[TestWith([['mute' => true, 'body' => '{"items":[1,2,3]}']])]
    #[TestWith([['items' => [1 => [302, 'x', 'y']]]])]
    #[TestWith([['status' => 204]])]
    #[TestWith([['status' => 202, 'body' => '{}']])]
    public function an_answer_that_cannot_be_right_is_not_an_answer(array $act): void
    {
        $this->server->next($act);
        $delivery = $this->delivery(3);
        $sink = $this->sink();
        $failure = $this->failure($sink, $delivery);

        self::assertInstanceOf(UnreadableAnswer::class, $failure);
        self::assertNull($this->failure($sink, $delivery), 'It comes again.');
        self::assertCount(3, $this->server->documents());
    }

    #[Test, Group('day-3')]
    #[TestWith(['cut'])]
    #[TestWith(['close'])]
    #[TestWith(['hang'])]
    #[TestWith(['trickle'])]
    public function an_answer_that_does_not_come_whole_is_not_an_answer(string $do): void
    {
        $this->server->always(['do' => $do]);
        $isSilent = in_array($do, ['hang', 'trickle'], true);
        $sink = $this->sink(['timeout' => $isSilent ? 1 : 30]);
        $delivery = $this->delivery(2001);
        $failure = $this->failure($sink, $delivery);
        $this->server->always(null);

        self::assertInstanceOf(UnableToSend::class, $failure);
        self::assertStringNotContainsString('/events', $failure->getMessage());
        // One that waits for a second may not get 2001 documents through.
        self::assertNull($this->failure($isSilent ? $this->sink(['timeout' => 30]) : $sink, $delivery));
        self::assertCount(2001, $this->server->documents(), 'None twice: documents() would see it.');
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
    #[TestWith([429])]
    #[TestWith([503])]
    public function it_says_when_to_come_again(int $status): void
    {
        $this->server->next(['status' => $status, 'headers' => ['Retry-After' => '7']]);
        $failure = $this->failure($this->sink(), $this->delivery(3));

        self::assertInstanceOf(RetryLater::class, $failure);
        self::assertSame(7, $failure->retryAfter());
    }

    #[Test]
    public function a_request_that_is_not_understood_may_be_one_event_s_fault(): void
    {
        $this->server->next(['status' => 400]);
        self::assertInstanceOf(InvalidRecords::class, $this->failure($this->sink(), $this->delivery(3)));
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

    /** @return list<int> documents of each request */
    private function sizes(): array
    {
        return array_map(
            static fn (ReceivedRequest $request): int => intdiv(substr_count($request->body, "\n"), 2),
            $this->server->requests(),
        );
    }

    /** @param array<int, array<string, int|string>> $others members of some of them, by number */
    private function delivery(int $events, array $others = []): Delivery
    {
        return ContractLog::of('events')->delivery(array_map(
            static fn (int $n): array => ['n' => $n, ...$others[$n] ?? []],
            range(0, max(0, $events - 1)),
        ));
    }

    private function failure(ElasticsearchSink $sink, Delivery $delivery): ?UnableToDeliver
    {
        try {
            $sink->deliver($delivery);
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        return null;
    }

    /** @param array<string, mixed> $options */
    private function sink(array $options = [], ?Clock $clock = null): ElasticsearchSink
    {
        return ElasticsearchSink::fromOptions(
            new ConfigReader(
                ['url' => "http://127.0.0.1:{$this->server->port}", 'index' => 'events', ...$options],
                'spool.buckets.events',
            ),
            $clock ?? $this->clock,
        );
    }

    private function assertOneLeft(int $of, ?UnableToDeliver $failure): void
    {
        self::assertInstanceOf(UnableToSend::class, $failure);
        $to = Endpoint::fromOptions(
            new ConfigReader(['url' => "http://127.0.0.1:{$this->server->port}"], 'spool.buckets.events'),
            'url',
        );
        Sentence::in(UnableToSend::incomplete($to, 1, $of, Sentence::ANY), $failure);
    }
}
