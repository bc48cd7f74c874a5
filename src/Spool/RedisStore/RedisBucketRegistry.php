<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\RootDirectory;

/**
 * The buckets that RedisBuffer has written to Redis or flushed on this machine. The configuration does not name them.
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
     * When the file cannot be created, commands know only what the configuration says of the bucket.
     *
     * @param bool $isAppend whether a request appends; a request may create the root, and a command leaves that to
     *     requests
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

            $root = new RootDirectory($this->store->root, $this->store->permissions);
            $root->makeDirectory($this->directory);
            $root->write("{$this->directory}/{$bucket}", 'we', '');
        } catch (HeadroomException) {
            return;
        }
    }
}
