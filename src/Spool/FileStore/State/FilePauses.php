<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use DateTimeImmutable;
use Headroom\Spool\Bucket;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Spool\Pause;
use Headroom\Spool\Store\Pauses;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\RegularFile;

/**
 * The buckets that are paused. Each is a file with the bucket's name, because every scheduled flush is a process of its
 * own.
 *
 * @internal
 */
final readonly class FilePauses implements Pauses
{
    private string $directory;

    public function __construct(private string $root, private Permissions $permissions)
    {
        $this->directory = "{$root}/paused";
    }

    /**
     * @param string $bucket a valid name
     *
     * @phpstan-impure
     *
     * @throws UnableToFlush when this user cannot find out
     */
    public function isPaused(string $bucket): bool
    {
        clearstatcache();

        if (file_exists("{$this->directory}/{$bucket}")) {
            return true;
        }

        // The file may exist where this user cannot see it. Delivering a paused bucket is worse than waiting.
        return file_exists($this->directory) && ! is_executable($this->directory)
            ? throw StorageUnavailable::notPermitted(
                'search',
                $this->directory,
                'permission denied',
                Permissions::ownership($this->directory),
            )
            : false;
    }

    public function of(string $bucket): ?Pause
    {
        if (! $this->isPaused($bucket)) {
            return null;
        }

        $path = "{$this->directory}/{$bucket}";
        $note = (string) RegularFile::read($path, 4_096);

        return Pause::fromNote($note, (int) @filemtime($path), Permissions::userName((int) @fileowner($path)));
    }

    /** @return list<string> buckets that are paused, sorted */
    public function names(): array
    {
        return array_values(array_filter((new DirectoryListing($this->directory))->names(), Bucket::isName(...)));
    }

    public function pause(string $bucket, DateTimeImmutable $now, ?string $by = null): bool
    {
        $root = new RootDirectory($this->root, $this->permissions);
        $root->makeDirectory($this->directory);
        $pause = new Pause($now, $by ?? Permissions::userName(Permissions::currentUser()));

        try {
            return $root->write("{$this->directory}/{$bucket}", 'xe', $pause->note());
        } catch (StorageUnavailable $e) {
            // A file without its note pauses the bucket, as on a full disk.
            return $this->isPaused($bucket) ? true : throw $e;
        }
    }

    public function resume(string $bucket): bool
    {
        if (! $this->isPaused($bucket)) {
            return false;
        }

        $path = "{$this->directory}/{$bucket}";
        $reason = '';

        if (! FileOperation::run(static fn (): bool => unlink($path), $reason) && $this->isPaused($bucket)) {
            throw StorageUnavailable::notPermitted('remove', $path, $reason, Permissions::ownership($path));
        }

        return true;
    }
}
