<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\RedisStore\RedisStore;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\RedisSnapshot;
use Headroom\Spool\RedisStore\Stream\StreamCheck;

/**
 * A stream compared with its ledger, and the result of reading it.
 *
 * @internal
 *
 * @template-covariant T
 */
final readonly class StreamLook
{
    private const PAUSE_MICROS = 2_000;

    /**
     * @param T $read
     * @param bool $isExact false when the stream changed too fast for parts of one moment
     */
    private function __construct(
        public RedisSnapshot $seen,
        public StreamCheck $check,
        public mixed $read,
        public LedgerReader $ledger,
        public bool $isExact,
    ) {}

    /**
     * Starts again when a flush delivers events during the reading.
     *
     * @template R
     *
     * @param callable(RedisSnapshot): LedgerReader $ledger
     * @param callable(RedisSnapshot, StreamCheck): R $read
     * @return self<R>
     *
     * @throws HeadroomException
     */
    public static function take(
        RedisStore $store,
        string $bucket,
        callable $ledger,
        callable $read,
        int $tries,
        Clock $clock,
    ): self {
        $keys = new Keys($bucket);

        for ($try = 1; ; $try++) {
            // The checkpoints are read first, because a new entry is in Redis before it is in the checkpoints.
            $notes = $store->checkpoints($bucket)->all();
            $seen = RedisSnapshot::take($store->client, $keys);
            $reader = $ledger($seen);
            $check = StreamCheck::of($store->client, $keys, $seen, $reader->progress(), $notes);
            $result = $read($seen, $check);
            $again = RedisSnapshot::take($store->client, $keys);
            $after = $reader->progress() ?? $again->record->flush->progress;
            $isExact = $after->position->equals($check->progress->position)
                && $again->meta->node === $seen->meta->node
                && $again->meta->trimmedTo === $seen->meta->trimmedTo;

            if ($isExact || $try === $tries) {
                return new self($seen, $check, $result, $reader, $isExact);
            }

            $clock->sleep(self::PAUSE_MICROS);
        }
    }
}
