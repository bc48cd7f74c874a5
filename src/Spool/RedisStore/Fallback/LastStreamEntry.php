<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Fallback;

use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\Permissions;

/**
 * A writer's last entry in a bucket's stream, on this machine's disk: what Redis forgets after it, this machine can
 * tell. Of two writers at once the later line may be the earlier entry's; then a few are missed, should they be lost.
 *
 * @internal
 */
final class LastStreamEntry
{
    /** Of each line, so that the first of a file is whole wherever another process writes the next. */
    public const BYTES = 64;

    /** @var resource|null */
    private $file = null;

    private string $of = '';

    /** @param string $bucket a valid name */
    public function __construct(
        private readonly string $root,
        private readonly Permissions $permissions,
        private readonly string $bucket,
    ) {}

    /**
     * @param string $server that gave the entry its id: an older one knew of others
     * @param int $total events that had come into the stream with it
     */
    public function saw(string $node, string $server, int $total, string $id): void
    {
        if ($this->of !== "{$node}@{$server}") {
            $this->of = "{$node}@{$server}";
            $this->file = $this->open();
        }

        if ($this->file !== null) {
            rewind($this->file);
            @fwrite($this->file, str_pad("{$total} {$id}", self::BYTES));
        }
    }

    /** @return resource|null null where it can not be had */
    private function open()
    {
        try {
            $this->permissions->makeDirectory("{$this->root}/redis");
        } catch (HeadroomException) {
            return null;
        }

        $file = $this->permissions->open("{$this->root}/redis/{$this->bucket}@{$this->of}", 'ce');

        return $file === false ? null : $file;
    }
}
