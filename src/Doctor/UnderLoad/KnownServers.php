<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Headroom\Core\HeadroomException;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\Redis\RedisAddresses;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSampler;
use Headroom\Doctor\UnderLoad\Samplers\RedisSampler;

/**
 * The server at an address, by its use in the application: the processes of another machine cannot be seen.
 *
 * @internal
 */
final readonly class KnownServers
{
    public const REDIS = 'Redis';

    /**
     * @param list<RedisSampler> $redis
     * @return array<string, string> the service by address
     */
    public static function of(array $redis, ?DatabaseSampler $database): array
    {
        $known = [];

        foreach ($redis as $sampler) {
            $known += self::addresses($sampler->name(), self::REDIS);
        }

        return $known + ($database === null ? [] : self::addresses($database->address, $database->engine->value));
    }

    /** @return array<string, string> of those that are told; the others have no name */
    public static function in(Facts $facts): array
    {
        $redis = [];
        $database = null;

        try {
            $redis = array_map(
                static fn (RedisAddress $address): RedisSampler => new RedisSampler($address),
                $facts->get(RedisAddresses::class)->all,
            );
        } catch (HeadroomException) {
        }

        try {
            $database = $facts->get(DatabaseSampler::class);
        } catch (HeadroomException) {
        }

        return self::of($redis, $database);
    }

    /** @return array<string, string> the service by each address that a socket may have */
    private static function addresses(string $name, string $service): array
    {
        $colon = strrpos($name, ':');

        if ($colon === false || str_starts_with($name, 'unix:') || str_starts_with($name, '[')) {
            return [str_starts_with($name, '/') ? "unix:{$name}" : $name => $service];
        }

        $found = gethostbynamel(substr($name, 0, $colon));
        $addresses = [$name => $service];

        foreach (is_array($found) ? $found : [] as $address) {
            $addresses[$address.substr($name, $colon)] = $service;
        }

        return $addresses;
    }
}
