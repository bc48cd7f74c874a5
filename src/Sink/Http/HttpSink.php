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
 * One POST per delivery with its events as a JSON list: at least once. The Idempotency-Key is the same through every
 * retry, and so is each event's `_id`, so that the other side can drop what it has already.
 *
 * @internal
 */
final class HttpSink implements Inspectable, SupportsProbe
{
    /** By this a collector knows that rows come, and not events. */
    private const BUCKET = 'Headroom-Bucket';

    /** How often events that the server had no time for are sent within one delivery. */
    private const ROUNDS = 3;

    private const FIRST_PAUSE_MICROS = 100_000;

    /** Of a 207: that, and as much for each event. */
    private const MULTI_STATUS_BYTES = 65_536;

    private const MULTI_STATUS_BYTES_PER_EVENT = 512;

    /** Beside the events of a large batch there is not room for more; it is 64 bytes for each of the largest. */
    private const MOST_MULTI_STATUS_BYTES = 4_194_304;

    /** What else is answered is not looked at; whole, it leaves the connection in order for the next request. */
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

        $left = $this->sort($answer, $lines, $refused);

        for ($round = 1; $left !== []; $round++) {
            $left = $this->again($delivery, $answer, $lines, array_intersect_key($ids, $left), $round, $deadline, $refused);
        }

        if ($refused !== []) {
            throw EventsRefused::by($this->options->endpoint, $refused, count($lines));
        }
    }

    public function tryOut(Delivery $delivery): void
    {
        $this->deliver($delivery);
    }

    public function inspect(): array
    {
        $missing = HttpClient::missing();

        return [
            ...$missing === null ? [] : [new Finding('http', $missing->getMessage(), $missing->mend)],
            ...$this->options->endpoint->inspect(),
        ];
    }

    /**
     * Only those that the server had no time for, a moment later.
     *
     * @param array<int, string> $lines all of the delivery
     * @param array<int, string> $ids of those that are left
     * @param array<int<0, max>, int> $refused added to
     * @return array<int, string> what is left again
     *
     * @throws UnableToDeliver the others have arrived, and come again with these
     */
    private function again(Delivery $delivery, HttpResponse &$answer, array $lines, array $ids, int $round, int $deadline, array &$refused): array
    {
        $to = $this->options->endpoint;
        $later = StatusClassifier::later($answer, $to, $this->clock);

        if ($later !== null || $round >= self::ROUNDS) {
            throw $later ?? UnableToSend::someLeft($to, count($ids), count($lines), 'it had no time for them.');
        }

        $this->clock->sleep(min(self::FIRST_PAUSE_MICROS << $round - 1, max(0, intdiv($deadline - $this->clock->monotonicNanos(), 1000))));
        $seconds = ($deadline - $this->clock->monotonicNanos()) / 1e9;

        if ($seconds <= 0) {
            throw UnableToSend::someLeft($to, count($ids), count($lines), 'the time of the delivery was up.');
        }

        try {
            // Another body needs another key, and the same body the same one.
            $part = array_intersect_key($lines, $ids);
            $answer = $this->send($delivery, $delivery->id().'/'.substr(hash('sha256', implode("\n", $ids)), 0, 16), $part, $seconds);
            $failure = $answer->status === 207 ? null : StatusClassifier::on($answer, $to, $this->clock);

            return match (true) {
                $failure !== null => throw $failure,
                $answer->status === 207 => $this->sort($answer, $part, $refused),
                default => [],
            };
        } catch (RetryLater $e) {
            throw $e;
        } catch (UnableToDeliver $e) {
            // Most have arrived, so that whatever it says of this part does not hold for the delivery.
            throw UnableToSend::someLeft($to, count($ids), count($lines), $e->getMessage());
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
        $headers = [...$this->options->headers, 'Content-Type' => 'application/json', 'Idempotency-Key' => $key, self::BUCKET => $delivery->source->bucket];

        if ($this->options->keys !== []) {
            // The specification joins what it signs with dots, so an id must have none; a bucket's name may.
            $id = str_replace('.', '%2E', $key);
            $timestamp = (string) intdiv($this->clock->micros(), 1_000_000);
            $signatures = array_map(static fn (string $secret): string => WebhookSignature::of($secret, $id, $timestamp, $body), $this->options->keys);
            $headers += ['webhook-id' => $id, 'webhook-timestamp' => $timestamp, 'webhook-signature' => implode(' ', $signatures)];
        }

        $most = self::mostBytes(count($lines));

        return $this->client->post($this->options->endpoint, $headers, $body, $seconds, static fn (int $status): int => $status === 207 ? $most : self::OTHER_BYTES);
    }

    /**
     * @param array<int, string> $lines what was sent
     * @param array<int<0, max>, int> $refused added to, by the event's number in the delivery
     * @return array<int, string> those to send again
     *
     * @throws UnreadableAnswer
     */
    private function sort(HttpResponse $answer, array $lines, array &$refused): array
    {
        $statuses = $answer->isCut ? 'its body is above '.self::mostBytes(count($lines)).' bytes' : Statuses::parse($answer->body, count($lines));

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

    private static function mostBytes(int $events): int
    {
        return min(self::MOST_MULTI_STATUS_BYTES, self::MULTI_STATUS_BYTES + $events * self::MULTI_STATUS_BYTES_PER_EVENT);
    }
}
