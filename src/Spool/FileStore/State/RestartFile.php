<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use DateTimeImmutable;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;

/**
 * When workers were last asked to end, so that newly deployed code takes over: a line per request, never shortened. On
 * disk, since a cache may be another one for each user, shared by machines with buffers of their own, or emptied.
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

    /** Another one after each request. Only looked at from outside, so that it matters little who may read the file. */
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
        $ground = new RootDirectory($this->root, $this->permissions);
        $ground->makeRoot();
        $ground->write(
            $this->path,
            'ae',
            "{$now->format('Uu')} {$now->format('c')} by ".Permissions::userName(Permissions::currentUser())."\n",
        );
    }
}
