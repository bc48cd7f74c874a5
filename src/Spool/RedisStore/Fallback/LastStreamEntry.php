<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Fallback;

use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\Permissions;

/**
 * The last entry that this machine's writers added to a bucket's stream, on this machine's disk. If Redis forgets it,
 * this machine can report the loss. When two writers race, the file may keep the earlier of their entries; a loss of
 * the later one is then not noticed.
 *
 * @internal
 */
final class LastStreamEntry
{
    /** Length of a line. All lines are equally long, so that a later line replaces the whole earlier one. */
    public const BYTES = 64;

    /** @var resource|null */
    private $file = null;

    /** "NODE@SERVER" of the open file. */
    private string $stream = '';

    /** @param string $bucket a valid name */
    public function __construct(
        private readonly string $root,
        private readonly Permissions $permissions,
        private readonly string $bucket,
    ) {}

    /**
     * @param string $server replication id of the server that gave the entry its id; an earlier server had other
     *     entries
     * @param int $total number of events ever added to the stream, with this entry
     */
    public function save(string $node, string $server, int $total, string $id): void
    {
        if ($this->stream !== "{$node}@{$server}") {
            $this->stream = "{$node}@{$server}";
            $this->file = $this->open();
        }

        if ($this->file !== null) {
            rewind($this->file);
            @fwrite($this->file, str_pad("{$total} {$id}", self::BYTES));
        }
    }

    /** @return resource|null null when the file cannot be opened */
    private function open()
    {
        try {
            $this->permissions->makeDirectory("{$this->root}/redis");
        } catch (HeadroomException) {
            return null;
        }

        $file = $this->permissions->open("{$this->root}/redis/{$this->bucket}@{$this->stream}", 'ce');

        return $file === false ? null : $file;
    }
}
