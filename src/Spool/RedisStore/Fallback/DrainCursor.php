<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Fallback;

use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Spool\RedisStore\Client\Replication;
use Headroom\Spool\RedisStore\Stream\Keys;

/**
 * The position up to which Redis has taken the log of a disk. A script moves the cursor in the same step that takes the
 * frames, and refuses when another process has moved it before.
 *
 * @internal
 */
final class DrainCursor
{
    private string $text = '';

    /** @param int<0, max> $wait number of replicas that must confirm each move */
    public function __construct(
        private readonly Client $client,
        private readonly Keys $keys,
        private readonly string $bucket,
        private readonly int $wait,
        private readonly int $waitMillis,
    ) {}

    /** Returns the text that Redis keeps: the position, and the checksum of the log up to it. */
    public static function encode(Progress $progress): string
    {
        return rtrim("{$progress->position->toString()} {$progress->checksum}");
    }

    public static function decode(string $text): Progress
    {
        [$position, $checksum] = [...explode(' ', $text, 2), ''];

        return new Progress(Position::fromString($position), checksum: $checksum);
    }

    /**
     * @return ?Progress null when Redis does not know the node
     *
     * @throws RedisFailure
     */
    public static function read(Client $client, Keys $keys, string $node): ?Progress
    {
        $text = $client->command($keys->meta, ['HGET', $client->key($keys->meta), "drained:{$node}"]);

        return is_string($text) && $text !== '' ? self::decode($text) : null;
    }

    public function startAt(string $text): void
    {
        $this->text = $text;
    }

    public function text(): string
    {
        return $this->text;
    }

    /**
     * Runs a script that moves the cursor if no other process has moved it.
     *
     * @param list<string|int> $arguments
     *
     * @throws BucketBusy
     * @throws RedisFailure
     * @throws StorageUnavailable
     */
    public function moveTo(string $to, string $node, string $script, array $arguments): void
    {
        $answer = $this->client->script($script, $this->keys->all(), [
            bin2hex(random_bytes(16)), $node, $this->text, $to, ...$arguments,
        ]);

        if ($answer !== '') {
            throw BucketBusy::beingDrained(
                $this->bucket,
                is_string($answer) ? $answer : 'an unknown position',
                $this->text,
            );
        }

        $confirmed = $this->wait === 0
            ? 0
            : Replication::await($this->client, $this->keys->log, $this->wait, $this->waitMillis);

        if ($confirmed < $this->wait) {
            throw StorageUnavailable::notReplicated($confirmed, $this->wait, $this->waitMillis);
        }

        $this->text = $to;
    }
}
