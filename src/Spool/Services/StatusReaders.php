<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\Monitoring\StatusReader;
use Headroom\Spool\RedisStore\Client\OneTryClient;
use Headroom\Spool\RedisStore\RedisStore;
use Headroom\Spool\RedisStore\StoreRegistry;

/**
 * Makes readers of the status.
 *
 * @internal
 */
final readonly class StatusReaders
{
    public static function withLedgers(SpoolServices $spool): StatusReader
    {
        return new StatusReader($spool->stores(), $spool->sinks(), $spool->config(), $spool->clock());
    }

    /** Only status is read, so the store needs neither the ledger nor fault points. */
    public static function withoutSql(SpoolServices $spool, Backends $backends): StatusReader
    {
        $config = $spool->config();
        $redis = static fn (FileStore $disk): RedisStore => new RedisStore(
            new OneTryClient($backends->redis($config->redis()->connection)),
            $disk,
            $config,
            $spool->clock(),
        );

        return new StatusReader(
            new StoreRegistry($spool->store(), $config, $backends->hasRedis() ? $redis : null),
            $spool->sinks(),
            $config,
            $spool->clock(),
            asksLedgers: false,
        );
    }
}
