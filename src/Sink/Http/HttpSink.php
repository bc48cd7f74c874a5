<?php

declare(strict_types=1);

namespace Headroom\Sink\Http;

use Headroom\Core\Clock;
use Headroom\Core\Finding;
use Headroom\Sink\Delivery;
use Headroom\Sink\HttpClient\EventsRefused;
use Headroom\Sink\HttpClient\HttpClient;
use Headroom\Sink\HttpClient\HttpResponse;
use Headroom\Sink\HttpClient\StatusClassifier;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Sink\HttpClient\UnreadableAnswer;
use Headroom\Sink\Inspectable;
use Headroom\Sink\JsonLine;
use Headroom\Sink\RetryLater;
use Headroom\Sink\SupportsProbe;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Headroom\Support\WebhookSignature;

/**
 * Sends the events of a delivery as a JSON list, in one POST. Delivers at least once. The Idempotency-Key and each
 * event's `_id` are the same in every retry, so the server can drop duplicates.
 *
 * @internal
 */
final class HttpSink implements Inspectable, SupportsProbe
{
    /** Tells a collector that the request carries rows of a bucket instead of events. */
    private const BUCKET_HEADER = 'Headroom-Bucket';

    /** How often one delivery sends the events for which the server was too busy. */
    private const MAX_ROUNDS = 3;

    private const FIRST_PAUSE_MICROS = 100_000;

    /** Limit for the body of a 207: this, and MULTI_STATUS_BYTES_PER_EVENT for each event. */
    private const MULTI_STATUS_BYTES = 65_536;

    private const MULTI_STATUS_BYTES_PER_EVENT = 512;

    /**
     * Limit for the body of a 207 to a large batch, whose events take most of the memory. The limit leaves 64 bytes for
     * each event of the largest batch.
     */
    private const MAX_MULTI_STATUS_BYTES = 4_194_304;

    /** Other bodies are not used. Reading them to the end lets the connection serve the next request. */
    private const OTHER_BYTES = 16_384;

    public function __construct(
        private readonly HttpOptions $options,
        private readonly Clock $clock,
        private readonly HttpClient $client = new HttpClient,
    ) {}

    /** @throws InvalidConfig */
    public static function fromOptions(ConfigReader $options, Clock $clock): self
    {
        return new self(HttpOptions::from($options), $clock);
    }

    public function deliver(Delivery $delivery): void
    {
        $lines = [];
        $ids = [];

        foreach ($delivery->batch as $number => $record) {
            $ids[$number] = $delivery->idOf($record);
            $lines[$number] = JsonLine::of($ids[$number], $record);
        }

        $deadline = $this->clock->monotonicNanos() + (int) ($this->options->timeout * 1_000_000_000);
        $refused = [];
        $answer = $this->send($delivery, $delivery->id(), $lines, $this->options->timeout);

        if ($answer->status !== 207) {
            $failure = StatusClassifier::on($answer, $this->options->endpoint, $this->clock);

            if ($failure !== null) {
                throw $failure;
            }

            return;
        }

        $left = $this->classify($answer, $lines, $refused);

        for ($round = 1; $left !== []; $round++) {
            $left = $this->resend(
                $delivery,
                $answer,
                $lines,
                array_intersect_key($ids, $left),
                $round,
                $deadline,
                $refused,
            );
        }

        if ($refused !== []) {
            throw EventsRefused::by($this->options->endpoint, $refused, count($lines));
        }
    }

    public function probe(Delivery $delivery): void
    {
        $this->deliver($delivery);
    }

    public function inspect(): array
    {
        $missing = HttpClient::missing();

        return [
            ...$missing === null ? [] : [new Finding('http', $missing->getMessage(), $missing->fix)],
            ...$this->options->endpoint->inspect(),
        ];
    }

    /**
     * Sends the events again for which the server was too busy.
     *
     * @param array<int, string> $lines all events of the delivery
     * @param array<int, string> $ids ids of the events to send
     * @param int $deadline monotonic nanoseconds
     * @param array<int<0, max>, int> $refused is extended, by the event's index in the delivery
     * @return array<int, string> events for which the server was busy again
     *
     * @throws UnableToDeliver the whole delivery is retried, including the events that have arrived
     */
    private function resend(
        Delivery $delivery,
        HttpResponse &$answer,
        array $lines,
        array $ids,
        int $round,
        int $deadline,
        array &$refused,
    ): array {
        $to = $this->options->endpoint;
        $later = StatusClassifier::later($answer, $to, $this->clock);

        if ($later !== null || $round >= self::MAX_ROUNDS) {
            throw $later ?? UnableToSend::incomplete($to, count($ids), count($lines), 'it was too busy for them.');
        }

        $this->clock->sleep(min(
            self::FIRST_PAUSE_MICROS << $round - 1,
            max(0, intdiv($deadline - $this->clock->monotonicNanos(), 1000)),
        ));
        $seconds = ($deadline - $this->clock->monotonicNanos()) / 1e9;

        if ($seconds <= 0) {
            throw UnableToSend::incomplete(
                $to,
                count($ids),
                count($lines),
                'the time limit of the delivery was reached.',
            );
        }

        try {
            // A server expects one key for one body, so the part gets its own key, which is the same in every retry.
            $part = array_intersect_key($lines, $ids);
            $answer = $this->send(
                $delivery,
                $delivery->id().'/'.substr(hash('sha256', implode("\n", $ids)), 0, 16),
                $part,
                $seconds,
            );
            $failure = $answer->status === 207 ? null : StatusClassifier::on($answer, $to, $this->clock);

            return match (true) {
                $failure !== null => throw $failure,
                $answer->status === 207 => $this->classify($answer, $part, $refused),
                default => [],
            };
        } catch (RetryLater $e) {
            throw $e;
        } catch (UnableToDeliver $e) {
            // Most events have arrived, so a verdict on this part does not apply to the whole delivery.
            throw UnableToSend::incomplete($to, count($ids), count($lines), $e->getMessage());
        }
    }

    /**
     * @param array<int, string> $lines
     *
     * @throws UnableToDeliver
     */
    private function send(Delivery $delivery, string $key, array $lines, float $seconds): HttpResponse
    {
        $body = '['.implode(',', $lines).']';
        $headers = [
            ...$this->options->headers,
            'Content-Type' => 'application/json',
            'Idempotency-Key' => $key,
            self::BUCKET_HEADER => $delivery->source->bucket,
        ];

        if ($this->options->keys !== []) {
            // Standard Webhooks joins the signed parts with dots, so the id must not contain one; a bucket's name may.
            $id = str_replace('.', '%2E', $key);
            $timestamp = (string) intdiv($this->clock->micros(), 1_000_000);
            $signatures = array_map(
                static fn (string $secret): string => WebhookSignature::of($secret, $id, $timestamp, $body),
                $this->options->keys,
            );
            $headers += [
                'webhook-id' => $id,
                'webhook-timestamp' => $timestamp,
                'webhook-signature' => implode(' ', $signatures),
            ];
        }

        $maxBytes = self::maxBytes(count($lines));

        return $this->client->post(
            $this->options->endpoint,
            $headers,
            $body,
            $seconds,
            static fn (int $status): int => $status === 207 ? $maxBytes : self::OTHER_BYTES,
        );
    }

    /**
     * @param array<int, string> $lines the events that were sent
     * @param array<int<0, max>, int> $refused is extended, by the event's index in the delivery
     * @return array<int, string> events for which the server was too busy
     *
     * @throws UnreadableAnswer
     */
    private function classify(HttpResponse $answer, array $lines, array &$refused): array
    {
        $statuses = $answer->isCut
            ? 'its body is longer than '.self::maxBytes(count($lines)).' bytes'
            : Statuses::parse($answer->body, count($lines));

        if (is_string($statuses)) {
            throw UnreadableAnswer::multiStatus($this->options->endpoint, $statuses, count($lines));
        }

        $left = [];

        foreach (array_keys($lines) as $place => $number) {
            $status = $statuses->all[$place];

            if (HttpResponse::isBusy($status)) {
                $left[$number] = $lines[$number];
            } elseif ($status >= 400 && $status !== 409) {
                $refused[max(0, $number)] = $status;
            }
        }

        return $left;
    }

    private static function maxBytes(int $events): int
    {
        return min(
            self::MAX_MULTI_STATUS_BYTES,
            self::MULTI_STATUS_BYTES + $events * self::MULTI_STATUS_BYTES_PER_EVENT,
        );
    }
}
