<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\Monitoring\StatusReader;
use Headroom\Spool\RedisStore\Client\OneTryClient;
use Headroom\Spool\RedisStore\RedisStore;
use Headroom\Spool\RedisStore\StoreRegistry;

/**
 * Reads the status from the files of this machine and from Redis.
 *
 * @internal
 */
final readonly class StatusWithoutSql
{
    public function __construct(private SpoolServices $spool, private Backends $backends) {}

    public function reader(): StatusReader
    {
        $config = $this->spool->config();
        $stores = new StoreRegistry(
            $this->spool->store(),
            $config,
            $this->backends->hasRedis() ? $this->redis(...) : null,
        );

        return new StatusReader(
            $stores,
            $this->spool->sinks(),
            $config,
            $this->spool->clock(),
            asksLedgers: false,
        );
    }

    /** Only status is read, so the store needs neither the ledger nor fault points. */
    private function redis(FileStore $disk): RedisStore
    {
        $config = $this->spool->config();

        return new RedisStore(
            new OneTryClient($this->backends->redis($config->redis()->connection)),
            $disk,
            $config,
            $this->spool->clock(),
        );
    }
}
