<?php

declare(strict_types=1);

namespace Headroom\Spool\Redis;

use Generator;
use Headroom\Core\Position;
use Headroom\Sink\Source;
use Headroom\Spool\Codec;
use Headroom\Spool\Entry;
use Headroom\Spool\EventViewer;
use Headroom\Spool\Loss;
use Headroom\Spool\PeekedEvent;
use Headroom\Spool\UnableToDecode;

/**
 * What waits in the stream, then what waits on this machine's disk to be brought there. Takes no lock and changes nothing.
 *
 * @internal
 */
final readonly class RedisPeek implements EventViewer
{
    public function __construct(private RedisStore $store, private string $bucket, private Codec $codec, private ?EventViewer $disk) {}

    public function events(callable $ledger): Generator
    {
        $client = $this->store->client;
        $keys = new Keys($this->bucket);
        $seen = RedisSnapshot::take($client, $keys);
        $from = $ledger()->position ?? $seen->record->flush->progress->position;
        $reader = new StreamReader(static fn (string $start, string $last, int $bytes): mixed => $client->script(Scripts::LOOK, $keys->all(), ['', '', $start, $last, $bytes]), $this->bucket);

        foreach ($seen->last === '' ? [] : $reader->read($from, $seen->last) as $item) {
            if ($item instanceof Loss) {
                yield new PeekedEvent($item->position->toString(), null, true, 0, [], ucfirst($item->message));
            } else {
                foreach ($item as $entry) {
                    yield from $this->entry($entry, $seen->meta->node);
                }
            }
        }

        if ($this->disk !== null) {
            yield from $this->disk->events(static fn (): null => null);
        }
    }

    /** @return Generator<int, PeekedEvent> */
    private function entry(Entry $entry, string $node): Generator
    {
        foreach (array_slice(explode("\n", $entry->payload), $entry->position->index, preserve_keys: true) as $index => $line) {
            $position = new Position($entry->position->segment, $entry->position->offset, max(0, min(65_535, $index)));
            $place = $position->toString();
            $id = (new Source($node, $this->bucket))->idOf($position, $entry->acceptedAt);

            try {
                [$values, $ownId] = $this->codec->decode($line);

                yield new PeekedEvent($place, $ownId ?? $id, true, $entry->acceptedAt, $values);
            } catch (UnableToDecode $e) {
                yield new PeekedEvent($place, $id, true, $entry->acceptedAt, [], ucfirst($e->getMessage()));
            }
        }
    }
}
