<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use DateTimeImmutable;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Pause;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\Store\Pauses;
use Headroom\Support\HostName;

/**
 * A pause that holds on every machine.
 *
 * @internal
 */
final readonly class RedisPauses implements Pauses
{
    public function __construct(private Client $client) {}

    public function pause(string $bucket, DateTimeImmutable $now): bool
    {
        $note = json_encode(['since' => $now->getTimestamp(), 'by' => Permissions::userName(Permissions::currentUser()).' on '.HostName::own()], JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);

        return $this->client->script(Scripts::PAUSE, (new Keys($bucket))->all(), [$note]) === 1;
    }

    public function resume(string $bucket): bool
    {
        return $this->client->script(Scripts::RESUME, (new Keys($bucket))->all()) === 1;
    }

    public function of(string $bucket): ?Pause
    {
        $keys = new Keys($bucket);
        $text = $this->client->command($keys->meta, ['HGET', $this->client->key($keys->meta), 'paused']);

        return is_string($text) && $text !== '' ? self::read($text) : null;
    }

    public static function read(string $text): Pause
    {
        $note = json_decode($text, true);
        $note = is_array($note) ? $note : [];

        // A mark counts however little is in it: anybody may make one by hand.
        return new Pause(new DateTimeImmutable('@'.(is_int($note['since'] ?? null) ? $note['since'] : 0)), is_string($note['by'] ?? null) ? $note['by'] : 'somebody');
    }
}
