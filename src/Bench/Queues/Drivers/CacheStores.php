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
 * The cache stores of an application: a worker asks its store before each job whether it shall restart.
 *
 * @internal
 */
final readonly class CacheStores
{
    /** @param Closure(string): void $say */
    public function __construct(private CacheManager $caches, private Repository $config, private Closure $say) {}

    /**
     * Those that answer: Laravel's own configuration names some that no server is there for.
     *
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
     * What workers ask when the application's store does not answer: with servers of ours, it is not what is measured.
     *
     * @return array<string, mixed> configuration by keys with dots, none when it answers
     */
    public function instead(): array
    {
        $usual = $this->config->get('cache.default');

        if (! is_string($usual) || $this->answers($usual)) {
            return [];
        }

        ($this->say)('Workers have CACHE_STORE=array instead, which costs them least.');

        return ['cache.default' => 'array', 'cache.stores.array' => ['driver' => 'array', 'serialize' => false]];
    }

    /** Where it has none: on a server that was started for this, say. */
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
            ($this->say)("CACHE_STORE={$store} is left out: ".trim(WorkerErrors::line($e)));

            return false;
        }
    }
}
