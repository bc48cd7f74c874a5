<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

/**
 * The content of one `_bulk` request: an action and a document for each event.
 *
 * @internal
 */
final readonly class BulkChunk
{
    /**
     * @param non-empty-array<int<0, max>, string> $documents two lines each, by the event's index in the delivery
     * @param non-empty-array<int<0, max>, string> $ids by the same index
     * @param int<1, max> $try attempt, from 1
     */
    public function __construct(public array $documents, public array $ids, public int $try = 1) {}

    public static function documentOf(string $id, ?string $index, string $json): string
    {
        // Neither name contains a character that JSON escapes.
        return '{"create":{'.($index === null ? '' : "\"_index\":\"{$index}\",")."\"_id\":\"{$id}\"}}\n{$json}\n";
    }

    public function body(): string
    {
        return implode('', $this->documents);
    }

    public function bytes(): int
    {
        return array_sum(array_map(strlen(...), $this->documents));
    }

    /** @param non-empty-array<int<0, max>, mixed> $numbers */
    public function retry(array $numbers): self
    {
        $documents = array_intersect_key($this->documents, $numbers);
        $ids = array_intersect_key($this->ids, $numbers);

        return $documents === [] || $ids === [] ? $this : new self($documents, $ids, $this->try + 1);
    }

    /** @return array{self, self} halves of a chunk of at least two documents */
    public function halves(): array
    {
        $half = max(1, intdiv(count($this->documents), 2));

        return [
            $this->part(0, $half),
            $this->part($half, null),
        ];
    }

    private function part(int $from, ?int $length): self
    {
        $documents = array_slice($this->documents, $from, $length, true);
        $ids = array_slice($this->ids, $from, $length, true);

        return $documents === [] || $ids === [] ? $this : new self($documents, $ids, $this->try);
    }
}
