<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Core\Clock;
use Headroom\Sink\BatchRejected;
use Headroom\Sink\Delivery;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\EndpointRefused;
use Headroom\Sink\HttpClient\HttpClient;
use Headroom\Sink\HttpClient\HttpResponse;
use Headroom\Sink\HttpClient\PendingRequest;
use Headroom\Sink\HttpClient\RequestBody;
use Headroom\Sink\HttpClient\StatusClassifier;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Sink\HttpClient\UnreadableAnswer;
use Headroom\Sink\UnableToDeliver;
use Random\Randomizer;

/**
 * Sends one delivery in `_bulk` requests, two of them concurrently. One instance serves one delivery.
 *
 * @internal
 */
final class BulkRequests
{
    /**
     * While the server processes one request, the sink makes and sends the next; benchmarks/collector/drain.php
     * measures it.
     */
    private const CONCURRENCY = 2;

    /** How often one delivery sends a document. */
    private const MAX_ATTEMPTS = 3;

    private const FIRST_PAUSE_MICROS = 100_000;

    /** Limit for a response that is not 200. */
    private const OTHER_BYTES = 16_384;

    /** @var list<array{PendingRequest, BulkChunk, Endpoint}> */
    private array $inFlight = [];

    /** @var list<BulkChunk> */
    private array $retries = [];

    /** @var array<int<0, max>, string> the reason, by the event's index in the delivery */
    private array $refused = [];

    /** @var int<0, max> number of stored documents */
    private int $stored = 0;

    /** The node of the last request, named in messages about the whole delivery. */
    private ?Endpoint $last = null;

    public function __construct(
        private readonly ElasticsearchOptions $options,
        private readonly ChunkReader $chunks,
        private readonly Delivery $delivery,
        private readonly NodePool $nodes,
        private readonly RequestSize $size,
        private readonly HttpClient $client,
        private readonly Clock $clock,
        private readonly Randomizer $random,
    ) {}

    /** @throws UnableToDeliver */
    public function run(): void
    {
        try {
            while ($this->fill()) {
                [$request, $chunk, $node] = $this->inFlight[0];
                array_shift($this->inFlight);
                $this->complete($request, $chunk, $node);
            }
        } catch (BatchRejected $e) {
            // Some documents are stored, so a verdict on this part does not apply to the whole delivery.
            throw $this->stored === 0 || $this->last === null ? $e : $this->incomplete($this->last, $e->getMessage());
        } finally {
            foreach ($this->inFlight as [$request]) {
                $request->cancel();
            }
        }

        if ($this->refused !== [] && $this->last !== null) {
            throw DocumentsRefused::by($this->last, $this->refused, count($this->delivery->batch));
        }
    }

    /**
     * @return bool true if a request is in flight
     *
     * @phpstan-assert-if-true non-empty-list<array{PendingRequest, BulkChunk, Endpoint}> $this->inFlight
     */
    private function fill(): bool
    {
        while (count($this->inFlight) < self::CONCURRENCY) {
            $chunk = $this->next();

            if ($chunk === null) {
                break;
            }

            $this->send($chunk);
        }

        return $this->inFlight !== [];
    }

    /** Retries come first, but only when no other request is in flight, because the server is overloaded. */
    private function next(): ?BulkChunk
    {
        if ($this->retries === []) {
            return $this->chunks->next();
        }

        if ($this->inFlight !== []) {
            return null;
        }

        $chunk = array_shift($this->retries);

        while (
            count($chunk->documents) > 1
            && (count($chunk->documents) > $this->size->events() || $chunk->bytes() > $this->size->bytes())
        ) {
            [$chunk, $rest] = $chunk->halves();
            array_unshift($this->retries, $rest);
        }

        return $chunk;
    }

    private function send(BulkChunk $chunk): void
    {
        $this->last = $this->nodes->next();
        $max = BulkResponse::maxBytes($chunk);
        $body = RequestBody::for($this->last, $chunk->body());
        $request = $this->client->start(
            $this->last->at($this->path()),
            [...$this->options->headers, ...$body->headers, 'Content-Type' => 'application/x-ndjson'],
            $body->bytes,
            $this->options->timeout,
            static fn (int $status): int => $status === 200 ? $max : self::OTHER_BYTES,
        );
        $this->inFlight[] = [$request, $chunk, $this->last];
        $request->push();
    }

    private function path(): string
    {
        $index = $this->options->index->fixed();

        return ($index === null ? '' : '/'.rawurlencode($index)).'/_bulk?'.BulkResponse::FILTER;
    }

    /** @throws UnableToDeliver */
    private function complete(PendingRequest $request, BulkChunk $chunk, Endpoint $node): void
    {
        try {
            $answer = $request->answer();
        } catch (UnableToSend $e) {
            $this->size->onBusy();
            $hasAnother = $this->nodes->markDown($node);
            $this->retry($chunk, $chunk->documents, $hasAnother ? null : $e, $e);

            return;
        }

        match (true) {
            $answer->isSuccess() => $this->classify($node, $answer, $chunk),
            $answer->status === 413 => $this->split($chunk),
            HttpResponse::isBusy($answer->status) => $this->wait($node, $answer, $chunk),
            in_array(
                $answer->status,
                [401, 403],
                true,
            ) => throw EndpointRefused::by($node, $answer->status, "'auth' or 'headers'"),
            default => throw StatusClassifier::on($answer, $node, $this->clock)
                ?? UnableToSend::busy($node, $answer->status),
        };
    }

    /** @throws UnableToDeliver */
    private function classify(Endpoint $from, HttpResponse $answer, BulkChunk $chunk): void
    {
        $bulk = $answer->isCut
            ? 'its body is above '.BulkResponse::maxBytes($chunk).' bytes'
            : BulkResponse::parse($answer->body, $chunk);

        if (is_string($bulk)) {
            throw UnreadableAnswer::bulk($from, $answer->status, $bulk);
        }

        $this->stored += max(0, count($chunk->documents) - count($bulk->failed));

        foreach ($bulk->of(ItemOutcome::Blocked) as $item) {
            throw IndexRefused::by($from, $this->options->index, $item);
        }

        foreach ($bulk->of(ItemOutcome::Refused) as $number => $item) {
            $this->refused[$number] = $item->reason();
        }

        $busy = $bulk->of(ItemOutcome::Busy);

        if ($busy === []) {
            $this->size->onSuccess($chunk);

            return;
        }

        $this->size->onBusy();
        $this->retry($chunk, $busy, null, $this->incomplete($from, 'it was too busy for them.'));
        $this->pause($chunk->try);
    }

    /** A single document that is too large is rejected, because a retry would not make it smaller. */
    private function split(BulkChunk $chunk): void
    {
        $this->size->onTooLarge($chunk);

        if (count($chunk->documents) === 1) {
            foreach ($chunk->documents as $number => $document) {
                $this->refused[$number] = 'HTTP 413: the document is too large, with '.strlen($document).' bytes.';
            }

            return;
        }

        array_push($this->retries, ...$chunk->halves());
    }

    /** @throws UnableToDeliver */
    private function wait(Endpoint $from, HttpResponse $answer, BulkChunk $chunk): void
    {
        $this->size->onBusy();
        $later = StatusClassifier::later($answer, $from, $this->clock);
        // A proxy answers with this status if the node behind it is gone.
        $hasAnother = in_array($answer->status, [502, 503, 504], true) && $this->nodes->markDown($from);
        $this->retry(
            $chunk,
            $chunk->documents,
            $hasAnother ? null : $later,
            $later ?? UnableToSend::busy($from, $answer->status),
        );

        if (! $hasAnother) {
            $this->pause($chunk->try);
        }
    }

    /**
     * @param non-empty-array<int<0, max>, mixed> $numbers of the documents to send again
     * @param ?UnableToDeliver $now ends the delivery at once
     * @param UnableToDeliver $last ends the delivery if no attempt is left
     *
     * @throws UnableToDeliver
     */
    private function retry(BulkChunk $chunk, array $numbers, ?UnableToDeliver $now, UnableToDeliver $last): void
    {
        if ($now !== null || $chunk->try >= self::MAX_ATTEMPTS) {
            throw $now ?? $last;
        }

        $this->retries[] = $chunk->retry($numbers);
    }

    /**
     * Sleeps for a random time between half and all of the pause, so that senders that were rejected together do not
     * return together.
     */
    private function pause(int $try): void
    {
        $max = self::FIRST_PAUSE_MICROS << max(0, $try - 1);
        $this->clock->sleep($this->random->getInt(intdiv($max, 2), $max));
    }

    private function incomplete(Endpoint $to, string $why): UnableToSend
    {
        $of = count($this->delivery->batch);

        return UnableToSend::incomplete($to, $of - $this->stored - count($this->refused), $of, $why);
    }
}
