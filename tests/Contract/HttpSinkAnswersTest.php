<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Clock;
use Headroom\Core\Permanent;
use Headroom\Core\Retryable;
use Headroom\Sink\BatchRejected;
use Headroom\Sink\Delivery;
use Headroom\Sink\HttpClient\EventsRefused;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Sink\HttpClient\UnreadableAnswer;
use Headroom\Sink\InvalidRecords;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\RetryLater;
use Headroom\Testing\Arrived;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\SendsOverHttp;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The meaning of each response.
 */
#[Group('smoke')]
final class HttpSinkAnswersTest extends TestCase
{
    use SendsOverHttp;

    private const NOW = 1_784_000_000;

    #[Test]
    #[TestWith([200])]
    #[TestWith([201])]
    #[TestWith([202])]
    #[TestWith([204])]
    #[TestWith([299])]
    public function a_success_is_an_arrival(int $status): void
    {
        $this->server->next(['status' => $status]);

        self::assertNull($this->failure($this->delivery()));
        self::assertCount(1, $this->server->requests());
    }

    #[Test, Group('day-3')]
    #[TestWith([408])]
    #[TestWith([409])]
    #[TestWith([425])]
    #[TestWith([429])]
    #[TestWith([500])]
    #[TestWith([502])]
    #[TestWith([503])]
    #[TestWith([504])]
    #[TestWith([599])]
    public function a_server_that_is_busy_is_tried_again_by_the_flusher(int $status): void
    {
        $this->server->next(['status' => $status, 'body' => 'confidential']);
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(Retryable::class, $failure);
        self::assertNotInstanceOf(RetryLater::class, $failure);
        self::assertStringContainsString("HTTP {$status}", $failure->getMessage());
        self::assertCount(1, $this->server->requests(), 'The flusher has the backoff.');
    }

    #[Test]
    #[TestWith([429, ['Retry-After' => '120'], 120])]
    #[TestWith([503, ['Retry-After' => 'Tue, 14 Jul 2026 03:34:20 GMT'], 60])]
    #[TestWith([
        503, ['Date' => 'Tue, 14 Jul 2026 01:00:00 GMT', 'Retry-After' => 'Tue, 14 Jul 2026 01:01:30 GMT'], 90,
    ])]
    #[TestWith([409, ['Retry-After' => '1'], 1])]
    public function a_server_that_says_when_to_come_again_is_obeyed(int $status, mixed $headers, int $seconds): void
    {
        $this->server->next(['status' => $status, 'headers' => $headers]);
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(RetryLater::class, $failure);
        self::assertSame($seconds, $failure->retryAfter());
    }

    #[Test]
    public function a_retry_after_that_makes_no_sense_is_passed_over(): void
    {
        $this->server->next(['status' => 503, 'headers' => ['Retry-After' => 'when the cows come home']]);

        self::assertNotInstanceOf(RetryLater::class, $this->failure($this->delivery()));
    }

    #[Test]
    #[TestWith([400])]
    #[TestWith([413])]
    #[TestWith([422])]
    public function a_refusal_of_the_events_lets_the_flusher_halve_the_delivery(int $status): void
    {
        $this->server->next(['status' => $status, 'body' => 'confidential']);
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(InvalidRecords::class, $failure);
        self::assertStringContainsString("HTTP {$status}", $failure->getMessage());
    }

    #[Test, Group('day-1')]
    #[TestWith([401])]
    #[TestWith([402])]
    #[TestWith([403])]
    #[TestWith([404])]
    #[TestWith([405])]
    #[TestWith([410])]
    #[TestWith([415])]
    #[TestWith([451])]
    public function a_refusal_of_the_address_or_the_sender_kills_no_event(int $status): void
    {
        $this->server->next(['status' => $status]);
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(BatchRejected::class, $failure);
        self::assertNotInstanceOf(InvalidRecords::class, $failure);
    }

    #[Test, Group('day-1')]
    #[TestWith([301])]
    #[TestWith([302])]
    #[TestWith([303])]
    #[TestWith([307])]
    #[TestWith([308])]
    #[TestWith([300])]
    #[TestWith([304])]
    public function a_redirect_is_never_followed(int $status): void
    {
        $this->server->next(['status' => $status, 'headers' => ['Location' => $this->server->url('/elsewhere')]]);

        self::assertInstanceOf(BatchRejected::class, $this->failure($this->delivery()));
        self::assertCount(1, $this->server->requests());
    }

    #[Test]
    public function of_a_multi_status_the_refused_are_named_and_a_conflict_is_an_arrival(): void
    {
        $this->server->next(['status' => 207, 'body' => '[200, 422, {"status": 409}, 404, 201]']);
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(PartialBatchFailure::class, $failure);
        self::assertSame([1, 3], array_keys($failure->refused()));
        self::assertStringContainsString('HTTP 422', $failure->refused()[1]);
        self::assertStringContainsString('HTTP 404', $failure->refused()[3]);
        self::assertEquals(EventsRefused::by($this->endpoint(), [1 => 422, 3 => 404], 5), $failure);
    }

    #[Test]
    public function a_multi_status_of_arrivals_only_is_an_arrival(): void
    {
        $this->server->next(['status' => 207, 'body' => '{"items": [200, 201, 202, 204, 409]}']);

        self::assertNull($this->failure($this->delivery()));
    }

    #[Test]
    public function events_without_time_are_sent_again_alone_under_another_key(): void
    {
        $this->server->next(['status' => 207, 'body' => '[200, 503, 422, 429, 200]', 'keeps' => false]);
        $this->server->next(['status' => 207, 'body' => '[200, 408]', 'keeps' => false]);
        $this->server->next(['status' => 207, 'body' => '[451]', 'keeps' => false]);
        $delivery = $this->delivery();
        $failure = $this->failure($delivery);
        $requests = $this->server->requests();

        self::assertInstanceOf(PartialBatchFailure::class, $failure);
        self::assertSame([2, 3], array_keys($failure->refused()), 'By their numbers in the delivery.');
        self::assertSame(
            [['0', '1', '2', '3', '4'], ['1', '3'], ['3']],
            array_map(static fn ($request): array => $request->events(), $requests),
        );
        $keys = array_map(static fn ($request): string => $request->headers['idempotency-key'], $requests);
        self::assertSame($delivery->id(), $keys[0]);
        self::assertCount(3, array_unique($keys));

        foreach ($keys as $key) {
            self::assertTrue(str_starts_with($key, $delivery->id()), $key);
        }
    }

    #[Test]
    public function the_same_part_has_the_same_key_when_the_range_comes_again(): void
    {
        $delivery = $this->delivery();

        for ($try = 0; $try < 2; $try++) {
            $this->server->next(['status' => 207, 'body' => '[200, 503, 200, 429, 200]']);
            $this->server->next(['status' => 500]);
            self::assertInstanceOf(Retryable::class, $this->failure($delivery));
        }

        $keys = array_map(
            static fn ($request): string => $request->headers['idempotency-key'],
            $this->server->requests(),
        );
        self::assertSame([$keys[0], $keys[1]], [$keys[2], $keys[3]]);
    }

    #[Test]
    public function events_for_which_there_is_never_time_end_the_delivery_after_three_requests(): void
    {
        $this->server->next(['status' => 207, 'body' => '[200, 422, 503, 200, 200]']);
        $this->server->next(['status' => 207, 'body' => '[503]']);
        $this->server->next(['status' => 207, 'body' => '[503]']);
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(Retryable::class, $failure);
        self::assertNotInstanceOf(PartialBatchFailure::class, $failure, 'Not all others have arrived.');
        Sentence::in(UnableToSend::incomplete($this->endpoint(), 1, 5, Sentence::ANY), $failure);
        self::assertCount(3, $this->server->requests());
    }

    #[Test]
    #[TestWith([400])]
    #[TestWith([401])]
    #[TestWith([413])]
    public function the_status_of_a_part_never_holds_for_the_whole_delivery(int $status): void
    {
        $this->server->next(['status' => 207, 'body' => '[200, 200, 503, 200, 200]']);
        $this->server->next(['status' => $status]);
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(Retryable::class, $failure);
        self::assertStringContainsString("HTTP {$status}", $failure->getMessage());
    }

    #[Test]
    public function a_multi_status_with_a_retry_after_is_not_asked_again_before(): void
    {
        $this->server->next([
            'status' => 207,
            'body' => '[200, 200, 503, 200, 200]',
            'headers' => ['Retry-After' => '30'],
        ]);
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(RetryLater::class, $failure);
        self::assertSame(30, $failure->retryAfter());
        self::assertCount(1, $this->server->requests());
    }

    #[Test]
    public function a_multi_status_that_cannot_be_understood_is_no_arrival_and_kills_nothing(): void
    {
        $this->server->next(['status' => 207, 'body' => '[{"status": 200, "echo": "confidential"}]']);
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(Permanent::class, $failure);
        self::assertNotInstanceOf(InvalidRecords::class, $failure);
        self::assertNotInstanceOf(PartialBatchFailure::class, $failure);
        self::assertNotInstanceOf(BatchRejected::class, $failure, 'It may have.');
        Sentence::naming([1], UnreadableAnswer::multiStatus($this->endpoint(), Sentence::ANY, 5), $failure);
    }

    #[Test, Group('day-2')]
    #[TestWith(['[0],', 8_000_000, '/\b4194304\b/'], 'far too much')]
    #[TestWith(['[0],', 1_000_000, '/\b1\b.*\b599\b/'], 'a million lists')]
    #[TestWith(['[', 4_000_000, '/\b1\b.*\b599\b/'], 'four million deep')]
    #[TestWith(['200,', 1_000_000, '/\b65535\b.*\b65535\b/'], 'a million statuses')]
    #[TestWith(['{"status":200},', 65_535, '/\Aarrived\z/'], 'all that was sent')]
    public function a_multi_status_of_any_size_does_not_take_the_memory_of_a_worker(
        string $entry,
        int $times,
        string $told,
    ): void {
        $this->server->next([
            'do' => 'large',
            'status' => 207,
            'body' => '['.rtrim(str_repeat($entry, $times), ',').']',
        ]);
        $process = new Process(
            [
                PHP_BINARY,
                '-d',
                'memory_limit=96M',
                __DIR__.'/Support/fixtures/deliver-over-http.php',
                $this->server->url(),
                '-',
                '65535',
            ],
            timeout: 300,
        );
        $output = $process->mustRun()->getOutput();

        self::assertSame($output !== 'arrived', str_contains($output, UnreadableAnswer::class));
        self::assertMatchesRegularExpression($told, $output);
    }

    #[Test]
    #[TestDox('response of an HTTP server lost')]
    #[TestWith([true])]
    #[TestWith([false])]
    public function after_a_lost_answer_a_server_that_honours_keys_has_each_event_once(bool $honours): void
    {
        $this->server->next(['do' => 'close', 'keeps' => true]);
        $this->server->always(['honours' => $honours, 'keeps' => true]);
        $delivery = $this->delivery();
        self::assertInstanceOf(Retryable::class, $this->failure($delivery));
        self::assertNull($this->failure($delivery));
        $ids = array_map(static fn (Arrived $event): ?string => $event->id, $this->server->events());

        self::assertCount($honours ? 5 : 10, $ids);
        self::assertCount(5, array_unique($ids), 'The ids tell, even where the key is not honoured.');
    }

    #[Test]
    public function no_message_shows_events_answers_or_secrets_of_the_address(): void
    {
        $url = str_replace('://', '://ada:confidential@', $this->server->url('/hooks/confidential?key=confidential'));
        $sink = $this->sink([
            'url' => $url,
            'headers' => ['X-Key' => 'confidential'],
            'sign' => 'confidential confidential',
        ]);

        foreach ([302, 400, 401, 404, 409, 413, 418, 422, 429, 500, 503] as $status) {
            $this->server->next([
                'status' => $status,
                'body' => 'confidential',
                'headers' => ['Location' => '/confidential', 'X' => 'confidential'],
            ]);
        }

        $this->server->next(['status' => 207, 'body' => '["confidential"]']);
        $this->server->next([
            'status' => 207,
            'body' => '[200, 200, 200, 200, {"status": 422, "error": "confidential"}]',
        ]);
        $this->server->next(['do' => 'close']);
        $this->server->next(['do' => 'close']);
        $this->server->next(['do' => 'cut', 'body' => 'confidential']);
        $this->server->next(['do' => 'raw', 'body' => "confidential\r\n\r\n"]);
        $this->server->next([
            'do' => 'raw',
            'body' => "HTTP/1.1 999 confidential\r\nConfidential: confidential\r\n\r\n",
        ]);
        $delivery = $this->delivery('confidential');

        for ($n = 0; $n < 17; $n++) {
            $failure = $this->failure($delivery, $sink);
            self::assertNotNull($failure, "{$n}");
            $told = $failure->getMessage().($failure instanceof PartialBatchFailure ? implode($failure->refused()) : '')
                .$failure->getTraceAsString();

            for ($cause = $failure->getPrevious(); $cause !== null; $cause = $cause->getPrevious()) {
                $told .= $cause->getMessage();
            }

            self::assertStringNotContainsStringIgnoringCase('confidential', $told);
            self::assertStringContainsString("127.0.0.1:{$this->server->port}", $told);
        }

        self::assertSame(
            'Basic '.base64_encode('ada:confidential'),
            $this->server->requests()[0]->headers['authorization'],
            'They are used all the same.',
        );
        self::assertSame('/hooks/confidential?key=confidential', $this->server->requests()[0]->path);
    }

    private function delivery(string $text = 'some text'): Delivery
    {
        return ContractLog::of('crm.calls')
            ->delivery(array_map(static fn (int $id): array => ['id' => (string) $id, 'text' => $text], range(0, 4)));
    }

    private function clock(): Clock
    {
        return new SetClock(self::NOW * 1_000_000);
    }
}
