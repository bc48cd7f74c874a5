<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Closure;
use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\WorkerErrors;
use Illuminate\Cache\CacheManager;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Database\Connection;
use Illuminate\Database\Schema\Blueprint;
use Throwable;

/**
 * The cache stores of an application: a worker asks its store before each job whether it must restart.
 *
 * @internal
 */
final readonly class CacheStores
{
    /** @param Closure(string): void $log */
    public function __construct(private CacheManager $caches, private Repository $config, private Closure $log) {}

    /**
     * The stores that answer: Laravel's default configuration names some without a server.
     * @return list<string>
     */
    public function names(): array
    {
        return array_values(array_filter(
            array_map(strval(...), array_keys((array) $this->config->get('cache.stores', []))),
            $this->answers(...),
        ));
    }

    /**
     * The store for workers if the application's store does not answer. With temporary servers, that store is not
     * under test.
     * @return array<string, mixed> configuration by keys with dots, empty if the store answers
     */
    public function instead(): array
    {
        $usual = $this->config->get('cache.default');

        if (! is_string($usual) || $this->answers($usual)) {
            return [];
        }

        ($this->log)('Workers use CACHE_STORE=array instead, the cheapest store.');

        return ['cache.default' => 'array', 'cache.stores.array' => ['driver' => 'array', 'serialize' => false]];
    }

    /** A table for a store that has none, as on a temporary server. */
    public static function makeTable(Connection $connection): void
    {
        if (! $connection->getSchemaBuilder()->hasTable('cache')) {
            $connection->getSchemaBuilder()->create('cache', static function (Blueprint $table): void {
                $table->string('key')->primary();
                $table->mediumText('value');
                $table->integer('expiration');
            });
        }
    }

    private function answers(string $store): bool
    {
        try {
            $this->caches->forgetDriver($store)->store($store)->get('headroom-bench');

            return true;
        } catch (Throwable $e) {
            $interrupted = Interrupted::within($e);
            $interrupted === null ? null : throw $interrupted;
            ($this->log)("CACHE_STORE={$store} is left out: ".trim(WorkerErrors::line($e)));

            return false;
        }
    }
}
