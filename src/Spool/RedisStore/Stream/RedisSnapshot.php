<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Spool\Store\State\DeliveryState;
use Headroom\Spool\Store\State\StateRecord;
use Headroom\Spool\UnableToFlush;

/**
 * The keys of a bucket in Redis at one moment, without the entries of the stream.
 *
 * @internal
 */
final readonly class RedisSnapshot
{
    /**
     * @param string $last id of the last entry; empty when the stream is empty
     * @param string $owner name of the process that flushes the bucket; empty when no process does
     */
    private function __construct(
        public StateRecord $record,
        public RedisMeta $meta,
        public string $last,
        public string $owner,
    ) {}

    /**
     * Does not take the ownership, and changes no key.
     *
     * @throws RedisFailure
     * @throws UnableToFlush
     */
    public static function take(Client $client, Keys $keys): self
    {
        return self::of($client->script(Scripts::SNAPSHOT, $keys->all()), $keys);
    }

    /** @throws UnableToFlush */
    public static function of(mixed $answer, Keys $keys): self
    {
        [$text, $meta, $last, $owner] = (is_array($answer) ? array_values($answer) : []) + ['', [], '', ''];
        $meta = RedisMeta::of($meta);
        $record = is_string($text) && $text !== ''
            ? StateRecord::fromJson($text, $keys->state)
            : new StateRecord(DeliveryState::fresh());

        return new self(
            new StateRecord(
                $record->flush,
                accepted: $meta->logged,
                retriedLetters: $meta->retriedLetters,
                flushedAt: $record->flushedAt,
                marks: $record->marks,
            ),
            $meta,
            is_string($last) ? $last : '',
            is_string($owner) ? $owner : '',
        );
    }
}
