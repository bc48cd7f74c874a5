<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\DeduplicationKey;
use Headroom\Sink\Delivery;

/**
 * Splits the events of a delivery into chunks of the current request size. It encodes documents only when their chunk
 * is requested.
 *
 * @internal
 */
final class ChunkReader
{
    /** @var int<0, max> */
    private int $next = 0;

    /** An encoded document that did not fit into the previous chunk. */
    private ?string $pending = null;

    private string $pendingId = '';

    public function __construct(
        private readonly Delivery $delivery,
        private readonly ElasticsearchOptions $options,
        private readonly RequestSize $size,
    ) {}

    /** @return ?BulkChunk null after the last chunk */
    public function next(): ?BulkChunk
    {
        $documents = [];
        $ids = [];
        $bytes = 0;
        $names = new DeduplicationKey($this->options->id);
        $fixed = $this->options->index->fixed();
        $end = count($this->delivery->batch);

        while ($this->next < $end && count($documents) < $this->size->events()) {
            if ($this->pending === null) {
                $record = $this->delivery->batch->record($this->next);
                $document = Document::of($record, $this->options->timestamp);
                $this->pendingId = $names->of($record) ?? DeduplicationKey::short($this->delivery->idOf($record));
                $index = $fixed === null
                    ? $this->options->index->at($document->seconds, intdiv($record->acceptedAt, 1_000_000))
                    : null;
                $this->pending = BulkChunk::documentOf($this->pendingId, $index, $document->json);
            }

            if ($documents !== [] && $bytes + strlen($this->pending) > $this->size->bytes()) {
                break;
            }

            $bytes += strlen($this->pending);
            [$documents[$this->next], $ids[$this->next], $this->pending] = [$this->pending, $this->pendingId, null];
            $this->next++;
        }

        return $documents === [] ? null : new BulkChunk($documents, $ids);
    }
}
