<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Generator;
use Headroom\Core\Position;
use Headroom\Sink\Source;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\RedisStore\RedisStore;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\RedisSnapshot;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\RedisStore\Stream\StreamReader;
use Headroom\Spool\Store\LogEntry;
use Headroom\Spool\Store\MissingRange;

/**
 * Shows the waiting events of the stream, then those on this machine's disk, which a flush moves to the stream. Takes
 * no lock and changes nothing.
 *
 * @internal
 */
final readonly class RedisPeek implements EventViewer
{
    public function __construct(
        private RedisStore $store,
        private string $bucket,
        private Codec $codec,
        private ?EventViewer $disk,
    ) {}

    public function events(callable $ledger): Generator
    {
        $client = $this->store->client;
        $keys = new Keys($this->bucket);
        $seen = RedisSnapshot::take($client, $keys);
        $from = $ledger()->position ?? $seen->record->flush->progress->position;
        $reader = new StreamReader(
            static fn (string $start, string $last, int $bytes): mixed
                => $client->script(Scripts::PEEK, $keys->all(), ['', '', $start, $last, $bytes]),
            $this->bucket,
        );

        foreach ($seen->last === '' ? [] : $reader->read($from, $seen->last) as $item) {
            if ($item instanceof MissingRange) {
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
    private function entry(LogEntry $entry, string $node): Generator
    {
        foreach (array_slice(
            explode("\n", $entry->payload),
            $entry->position->index,
            preserve_keys: true,
        ) as $index => $line) {
            $position = new Position($entry->position->segment, $entry->position->offset, max(0, min(65_535, $index)));
            $id = (new Source($node, $this->bucket))->idOf($position, $entry->acceptedAt);

            yield PeekedEvent::decoded($this->codec, $line, $position->toString(), $id, true, $entry->acceptedAt);
        }
    }
}
