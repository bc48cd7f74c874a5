<?php

declare(strict_types=1);

namespace Headroom\Sink\Memory;

use Headroom\Core\Record;
use Headroom\Sink\Delivery;

/**
 * The events that buckets with the sink `memory` have delivered in this process, for tests. The container has the
 * instance.
 */
final class Arrivals
{
    /** @var array<string, list<Record>> by bucket */
    private array $records = [];

    /** @var array<string, list<string>> by bucket */
    private array $ids = [];

    /** @return list<Record> in the order of arrival; a range that was delivered twice is in it twice */
    public function of(string $bucket): array
    {
        return $this->records[$bucket] ?? [];
    }

    /** @return list<string> the ids of the same events, in the same order */
    public function idsOf(string $bucket): array
    {
        return $this->ids[$bucket] ?? [];
    }

    /** @return list<array<string, mixed>> the values of the same events, in the same order */
    public function valuesOf(string $bucket): array
    {
        return array_map(static fn (Record $record): array => $record->values, $this->of($bucket));
    }

    public function clear(): void
    {
        [$this->records, $this->ids] = [[], []];
    }

    /** @internal */
    public function add(Delivery $delivery): void
    {
        $bucket = $delivery->source->bucket;

        foreach ($delivery->batch as $record) {
            $this->records[$bucket][] = $record;
            $this->ids[$bucket][] = $delivery->idOf($record);
        }
    }
}
