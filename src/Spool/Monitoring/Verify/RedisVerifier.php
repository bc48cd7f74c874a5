<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\Monitoring\StreamLook;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\RedisDeadLetters;
use Headroom\Spool\RedisStore\RedisStore;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\RedisSnapshot;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\RedisStore\Stream\StreamCheck;
use Headroom\Spool\RedisStore\Stream\StreamReader;
use Headroom\Spool\Store\MissingRange;
use Headroom\Support\Path;

/**
 * Reads the whole stream and compares it with the counters. The files on this machine's disk are verified like those of
 * any bucket.
 *
 * @internal
 */
final readonly class RedisVerifier implements BucketVerifier
{
    private const TRIES = 5;

    private Client $client;

    /** @param LedgerReader $none reads no ledger, because the events on disk go to Redis */
    public function __construct(
        private RedisStore $store,
        private FileStore $disk,
        private BucketVerifier $files,
        private LedgerReader $none,
        private Clock $clock,
    ) {
        $this->client = $store->client;
    }

    public function verify(string $bucket, LedgerReader $ledger, Findings $findings): Verification
    {
        $result = Path::isAbsent($this->disk->layout($bucket)->directory)
            ? new Verification($bucket)
            : $this->files->verify($bucket, $this->none, $findings);
        // Events that went from disk to Redis are counted in Redis.
        $result->accepted -= $result->delivered;
        $keys = new Keys($bucket);
        $look = StreamLook::take(
            $this->store,
            $bucket,
            static fn (): LedgerReader => $ledger,
            fn (RedisSnapshot $seen, StreamCheck $check): array => $this->read($seen, $keys, $check->from),
            self::TRIES,
            $this->clock,
        );
        [$losses, $counts] = $look->read;

        if ($this->store->isDiskForked($bucket)) {
            $findings->wrong(
                "{$bucket}: disk",
                "Redis has events from a diverged copy of this machine's disk: the disk was restored, or copied and"
                    .' both copies are in use.',
                'Run `spool:new-id`: it shows the waiting events and the two ways to continue.',
            );
        }

        foreach ($losses as $loss) {
            $findings->wrong(
                "{$bucket}: {$loss->position->toString()}",
                ucfirst($loss->message).'.',
                'Find the program that removes entries or writes to that key. The buffer removes only delivered'
                    .' entries.',
            );
        }

        $setBack = $look->isExact ? $look->check->words() : null;

        if ($setBack !== null) {
            $findings->wrong(
                "{$bucket}: stream",
                $setBack,
                "Run `spool:flush {$bucket}`: it delivers the events in Redis, or names the command that does, and"
                    .' reports lost events.',
            );
        }

        $this->account($result, $look->seen, $look->check, $counts, $look->isExact, $findings);

        if ($ledger->error !== null) {
            $findings->wrong(
                "{$bucket}: ledger",
                "It cannot be read, so the totals are those of the state in Redis: {$ledger->error}",
                'Run `spool:health`.',
            );
        }

        $result->deadLetters += (new RedisDeadLetters($this->client, $keys))->count($look->check->progress->position);
        $result->wrong = $findings->wrong;
        $result->notes = $findings->notes;

        return $result;
    }

    public function bytes(string $bucket): int
    {
        return $this->files->bytes($bucket);
    }

    /** @return array{list<MissingRange>, array{entries: int, events: int, pending: int, bytes: int}} */
    private function read(RedisSnapshot $seen, Keys $keys, Position $cursor): array
    {
        $losses = [];
        $counts = ['entries' => 0, 'events' => 0, 'pending' => 0, 'bytes' => 0];
        $reader = new StreamReader(
            fn (string $start, string $last, int $bytes): mixed
                => $this->client->script(Scripts::PEEK, $keys->all(), ['', '', $start, $last, $bytes]),
            $keys->log,
        );

        foreach ($seen->last === '' ? [] : $reader->read(Position::start(), $seen->last) as $item) {
            if ($item instanceof MissingRange) {
                $losses[] = $item;

                continue;
            }

            foreach ($item as $entry) {
                $done = match (true) {
                    $entry->position->compare($cursor) >= 0 => 0,
                    $entry->position->segment === $cursor->segment
                        && $entry->position->offset === $cursor->offset => $cursor->index,
                    default => $entry->count,
                };
                $counts = [
                    'entries' => $counts['entries'] + 1,
                    'events' => $counts['events'] + $entry->count,
                    'pending' => $counts['pending'] + $entry->count - $done,
                    'bytes' => $counts['bytes'] + strlen($entry->payload),
                ];
            }
        }

        return [$losses, $counts];
    }

    /** @param array{entries: int, events: int, pending: int, bytes: int} $counts */
    private function account(
        Verification $result,
        RedisSnapshot $seen,
        StreamCheck $standing,
        array $counts,
        bool $isStable,
        Findings $findings,
    ): void {
        $progress = $standing->progress;
        $accepted = $standing->accepted;
        $dead = $progress->dead - $seen->meta->retriedLetters + $seen->meta->aside;
        $delivered = $progress->delivered + $seen->meta->forgotten + $standing->delivered;
        $missing = $accepted - $delivered - $dead - $counts['pending'];
        $result->frames += $counts['entries'];
        $result->bytes += $counts['bytes'];
        $result->sealedEvents += $counts['events'];
        $result->pendingSealed += $counts['pending'];
        $result->accepted += $accepted;
        $result->delivered = $delivered;
        $result->dead += $dead;

        if (! $isStable) {
            $findings->note(
                "{$result->bucket}: accounts",
                'The stream changed while it was counted, so the totals were not compared.',
                'Run this command again when fewer events are delivered.',
            );

            return;
        }

        $result->missing += $missing;
        $sum = "{$accepted} accepted, {$delivered} delivered, {$dead} dead, {$counts['pending']} pending in the stream";

        if ($missing > 0) {
            $findings->wrong(
                "{$result->bucket}: accounts",
                ($seen->meta->lost + $standing->lost > 0 ? 'At least' : 'Exactly')
                    ." {$missing} accepted events are missing: {$sum}.",
                'Redis lost them (an older dump, a restart without its latest data, or a replica that was behind),'
                    .' entries of the stream were removed, or the database was restored. Only a backup or their'
                    .' senders have them.',
            );
        } elseif ($missing < 0) {
            $findings->wrong(
                "{$result->bucket}: accounts",
                'There are '.-$missing." more events than were accepted: {$sum}.",
                'The counters of Redis or the ledger were changed by hand.',
            );
        }
    }
}
