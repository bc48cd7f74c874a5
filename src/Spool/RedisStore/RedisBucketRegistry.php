<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\RootDirectory;

/**
 * Buckets that RedisBuffer has put into Redis from this machine, or has flushed from there: no setting says so.
 *
 * @internal
 */
final readonly class RedisBucketRegistry
{
    private string $directory;

    public function __construct(private FileStore $store)
    {
        $this->directory = "{$store->root}/redis-buffer";
    }

    public function has(string $bucket): bool
    {
        clearstatcache();

        return is_file("{$this->directory}/{$bucket}");
    }

    /** @return list<string> */
    public function names(): array
    {
        $names = @scandir($this->directory);

        return array_values(array_filter(
            $names === false ? [] : $names,
            fn (string $name): bool => $name !== '.' && $name !== '..' && $this->has($name),
        ));
    }

    public function remove(string $bucket): void
    {
        @unlink("{$this->directory}/{$bucket}");
    }

    /**
     * Where it can not be made, commands know of the bucket what the settings say.
     *
     * @param bool $isAppend a request may make the root; what only looks leaves that to the requests
     */
    public function set(string $bucket, bool $isAppend): void
    {
        if ($this->has($bucket)) {
            return;
        }

        try {
            if ($isAppend) {
                $this->store->permissions->makeDirectory($this->store->root);
            }

            $ground = new RootDirectory($this->store->root, $this->store->permissions);
            $ground->makeDirectory($this->directory);
            $ground->write("{$this->directory}/{$bucket}", 'we', '');
        } catch (HeadroomException) {
            return;
        }
    }
}
