<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Sink\BatchRejected;
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
use Headroom\Tests\Contract\Support\SendsToElasticsearch;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The answers of a cluster, and the failures that the sink makes of them.
 */
#[Group('smoke')]
final class ElasticsearchSinkAnswersTest extends TestCase
{
    use SendsToElasticsearch;

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
