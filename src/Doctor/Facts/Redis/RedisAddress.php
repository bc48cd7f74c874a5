<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Redis;

use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Facts\Laravel\RedisConnections;
use SensitiveParameter;

use function array_values;
use function parse_url;
use function rawurldecode;
use function str_starts_with;

/**
 * Where a server listens, and who one is there.
 *
 * @internal
 */
final readonly class RedisAddress
{
    /**
     * @param string $place tcp://host:port, tls://host:port or unix:///path
     * @param list<string> $uses session, cache, queue
     */
    public function __construct(public string $place, #[SensitiveParameter] public string $password = '', public string $user = '', public array $uses = []) {}

    /** @return list<self> each place once */
    public static function of(Application $app): array
    {
        $addresses = [];

        $redis = new RedisConnections($app);

        foreach ($redis->used() as $part => $name) {
            if (! in_array($name, $redis->inUse(), true)) {
                continue;
            }

            $address = self::ofConnection($app, "database.redis.{$name}");
            $known = $addresses[$address->place] ?? $address;
            $addresses[$address->place] = new self($known->place, $known->password, $known->user, [...$known->uses, $part]);
        }

        return array_values($addresses);
    }

    private static function ofConnection(Application $app, string $key): self
    {
        $url = parse_url($app->text("{$key}.url"));
        $url = $url === false ? [] : $url;
        $host = $url['host'] ?? $app->text("{$key}.host");
        $scheme = $url['scheme'] ?? $app->text("{$key}.scheme");
        $port = $url['port'] ?? (int) $app->text("{$key}.port");

        return new self(
            str_starts_with($host, '/') ? "unix://{$host}" : (in_array($scheme, ['tls', 'rediss'], true) ? 'tls' : 'tcp')."://{$host}:".($port === 0 ? 6379 : $port),
            rawurldecode($url['pass'] ?? '') !== '' ? rawurldecode($url['pass'] ?? '') : $app->text("{$key}.password"),
            rawurldecode($url['user'] ?? '') !== '' ? rawurldecode($url['user'] ?? '') : $app->text("{$key}.username"),
        );
    }
}
