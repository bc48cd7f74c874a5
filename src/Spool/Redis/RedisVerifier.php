<?php

declare(strict_types=1);

namespace Headroom\Spool\Redis;

use Headroom\Core\Path;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\File\FileStore;
use Headroom\Spool\LedgerReader;
use Headroom\Spool\Loss;
use Headroom\Spool\Verify\BucketVerifier;
use Headroom\Spool\Verify\Findings;
use Headroom\Spool\Verify\Verification;

/**
 * Reads the whole stream and holds it against what was counted, and what lies on this machine's disk as any bucket's.
 *
 * @internal
 */
final readonly class RedisVerifier implements BucketVerifier
{
    private const TRIES = 5;

    /** @param LedgerReader $none of a ledger that knows nothing: what lies on disk goes to Redis */
    public function __construct(private Client $client, private FileStore $disk, private BucketVerifier $files, private LedgerReader $none) {}

    public function verify(string $bucket, LedgerReader $ledger, Findings $findings): Verification
    {
        $result = Path::isAbsent($this->disk->layout($bucket)->directory) ? new Verification($bucket) : $this->files->verify($bucket, $this->none, $findings);
        // What went from disk to Redis is counted there.
        $result->accepted -= $result->delivered;
        $keys = new Keys($bucket);
        [$seen, $progress, $isStable, $losses, $counts] = $this->look($keys, $ledger);

        foreach ($losses as $loss) {
            $findings->wrong("{$bucket}: {$loss->position->toString()}", ucfirst($loss->message).'.', 'Find out who removes entries or writes to that key; the buffer removes only what is delivered.');
        }

        $this->account($result, $seen, $progress, $counts, $isStable, $findings);

        if ($ledger->error !== null) {
            $findings->wrong("{$bucket}: ledger", "It can not be read, so the accounts are those of the state in Redis: {$ledger->error}", 'Run `php artisan spool:health`.');
        }

        $result->deadLetters += (new RedisLetters($this->client, $keys))->count($progress->position);
        $result->wrong = $findings->wrong;
        $result->notes = $findings->notes;

        return $result;
    }

    public function bytes(string $bucket): int
    {
        return $this->files->bytes($bucket);
    }

    /** @return array{RedisSnapshot, Progress, bool, list<Loss>, array{entries: int, events: int, pending: int, bytes: int}} the third says whether all of it is of one moment */
    private function look(Keys $keys, LedgerReader $ledger): array
    {
        for ($try = 1; ; $try++) {
            $seen = RedisSnapshot::take($this->client, $keys);
            $progress = $ledger->progress() ?? $seen->record->flush->progress;
            [$losses, $counts] = $this->read($seen, $keys, $progress->position);
            $again = RedisSnapshot::take($this->client, $keys);
            $isStable = $again->meta->trimmedTo === $seen->meta->trimmedTo && ($ledger->progress() ?? $again->record->flush->progress)->position->equals($progress->position);

            if ($isStable || $try === self::TRIES) {
                return [$seen, $progress, $isStable, $losses, $counts];
            }
        }
    }

    /** @return array{list<Loss>, array{entries: int, events: int, pending: int, bytes: int}} */
    private function read(RedisSnapshot $seen, Keys $keys, Position $cursor): array
    {
        $losses = [];
        $counts = ['entries' => 0, 'events' => 0, 'pending' => 0, 'bytes' => 0];
        $reader = new StreamReader(fn (string $start, string $last, int $bytes): mixed => $this->client->script(Scripts::LOOK, $keys->all(), ['', '', $start, $last, $bytes]), $keys->log);

        foreach ($seen->last === '' ? [] : $reader->read(Position::start(), $seen->last) as $item) {
            if ($item instanceof Loss) {
                $losses[] = $item;

                continue;
            }

            foreach ($item as $entry) {
                $done = match (true) {
                    $entry->end->compare($cursor) <= 0 => $entry->count,
                    $entry->position->compare($cursor) < 0 => $cursor->index,
                    default => 0,
                };
                $counts = ['entries' => $counts['entries'] + 1, 'events' => $counts['events'] + $entry->count, 'pending' => $counts['pending'] + $entry->count - $done, 'bytes' => $counts['bytes'] + strlen($entry->payload)];
            }
        }

        return [$losses, $counts];
    }

    /** @param array{entries: int, events: int, pending: int, bytes: int} $counts */
    private function account(Verification $result, RedisSnapshot $seen, Progress $progress, array $counts, bool $isStable, Findings $findings): void
    {
        $dead = $progress->dead - $seen->meta->revived + $seen->meta->aside;
        $missing = $seen->meta->accepted() - $progress->delivered - $dead - $counts['pending'];
        $result->frames += $counts['entries'];
        $result->bytes += $counts['bytes'];
        $result->sealedEvents += $counts['events'];
        $result->pendingSealed += $counts['pending'];
        $result->accepted += $seen->meta->accepted();
        $result->delivered = $progress->delivered;
        $result->dead += $dead;

        if (! $isStable) {
            $findings->note("{$result->bucket}: accounts", 'It was flushed too fast for a look at one moment, so that accepted, delivered and pending were not held against each other.', 'Run this command again, in a quieter moment.');

            return;
        }

        $result->missing += $missing;
        $sum = "{$seen->meta->accepted()} were accepted, {$progress->delivered} delivered, {$dead} are dead, {$counts['pending']} wait in the stream";

        if ($missing > 0) {
            $findings->wrong("{$result->bucket}: accounts", "Exactly {$missing} accepted events are missing: {$sum}.", 'Somebody removed entries of the stream, or the database was restored to an older day. Only a backup has them.');
        } elseif ($missing < 0) {
            $findings->wrong("{$result->bucket}: accounts", 'There are '.-$missing." more events than were accepted: {$sum}.", 'Redis was set back to an older day, or somebody changed its counters or the ledger.');
        }
    }
}
