<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use DateTimeImmutable;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;

/**
 * Asks the workers to stop, so that newly deployed code takes over. Each request adds a line, and no line is removed. A
 * cache would not do: it may differ between users, be shared by machines that have their own buffers, or be emptied.
 *
 * @internal
 */
final readonly class RestartFile
{
    private string $path;

    public function __construct(private string $root, private Permissions $permissions)
    {
        $this->path = "{$root}/restart";
    }

    /** Changes with each request. Only the file's status is used, so a user without read access gets it as well. */
    public function stamp(): string
    {
        clearstatcache();
        $stat = @stat($this->path);

        return $stat === false ? '' : "{$stat['ino']}:{$stat['size']}:{$stat['mtime']}";
    }

    /** @return ?int microseconds since the Unix epoch */
    public function requestedAt(): ?int
    {
        $tail = (string) @file_get_contents($this->path, offset: max(0, (int) @filesize($this->path) - 200));

        return preg_match('/^(\d{16}) [^\n]*\n\z/m', $tail, $m) === 1 ? (int) $m[1] : null;
    }

    /**
     * @throws UnableToFlush
     * @throws UnableToAppend
     */
    public function request(DateTimeImmutable $now): void
    {
        $root = new RootDirectory($this->root, $this->permissions);
        $root->makeRoot();
        $root->write(
            $this->path,
            'ae',
            "{$now->format('Uu')} {$now->format('c')} by ".Permissions::userName(Permissions::currentUser())."\n",
        );
    }
}
