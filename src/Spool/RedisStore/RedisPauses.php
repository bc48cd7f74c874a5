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
 * Pauses in Redis, which apply to all machines.
 *
 * @internal
 */
final readonly class RedisPauses implements Pauses
{
    public function __construct(private Client $client) {}

    public function pause(string $bucket, DateTimeImmutable $now, ?string $by = null): bool
    {
        $pause = new Pause(
            $now,
            ($by ?? Permissions::userName(Permissions::currentUser())).' on '.HostName::own(),
        );

        return $this->client->script(Scripts::PAUSE, (new Keys($bucket))->all(), [$pause->note()]) === 1;
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

    public static function read(string $note): Pause
    {
        return Pause::fromNote($note, 0, 'an unknown user');
    }
}
