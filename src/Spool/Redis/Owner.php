<?php

declare(strict_types=1);

namespace Headroom\Spool\Redis;

use Headroom\Core\HostLimits;
use Headroom\Spool\HostName;
use Headroom\Spool\UnableToFlush;

/**
 * This process as the one that may flush a bucket. What it asks of Redis is done only while that is so, and prolongs it.
 *
 * @internal
 */
final readonly class Owner
{
    /** @param int<1, max> $millis after which another one may take over from one that says nothing */
    public function __construct(public Client $client, public Keys $keys, public string $bucket, public string $token, private int $millis) {}

    /** @return non-empty-string names the process for whoever looks: "a1b2c3d4 web-1 4711" */
    public static function name(): string
    {
        return bin2hex(random_bytes(8)).' '.HostName::own().' '.HostLimits::pid();
    }

    /**
     * @param list<string|int> $arguments
     *
     * @throws RedisFailure
     * @throws UnableToFlush
     */
    public function script(string $script, array $arguments = []): mixed
    {
        try {
            return $this->client->script($script, $this->keys->all(), [$this->token, $this->millis, ...$arguments]);
        } catch (RedisFailure $e) {
            throw $e->kind === 'SPOOLOWNER' ? UnableToFlush::notOwner($this->bucket, intdiv($this->millis, 1000)) : $e;
        }
    }
}
