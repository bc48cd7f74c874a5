<?php

declare(strict_types=1);

namespace Headroom\Spool\Redis;

use Headroom\Core\HeadroomException;
use Headroom\Spool\File\FileStore;
use Headroom\Spool\File\Ground;
use Headroom\Spool\File\RegularFile;

/**
 * What this machine saw last of a bucket's stream in Redis, on its own disk: a stream that was lost can not tell that it
 * was there.
 *
 * @internal
 */
final readonly class StreamNotes
{
    private string $path;

    public function __construct(private FileStore $store, string $bucket)
    {
        $this->path = "{$store->root}/redis/{$bucket}";
    }

    /** @return ?StreamNote null where this machine saw none */
    public function read(): ?StreamNote
    {
        clearstatcache();
        $note = json_decode((string) RegularFile::read($this->path, 4_096), true);

        return is_array($note) && is_string($note['node'] ?? null) && is_int($note['logged'] ?? null) && is_int($note['open'] ?? null) && is_int($note['at'] ?? null)
            ? new StreamNote($note['node'], $note['logged'], max(0, $note['open']), $note['at'], is_string($note['last'] ?? null) ? $note['last'] : '')
            : null;
    }

    /** Where it can not be written, a loss is told by other machines, or not at all. */
    public function write(StreamNote $note): void
    {
        try {
            $ground = new Ground($this->store->root, $this->store->permissions);
            $ground->makeDirectory("{$this->store->root}/redis");
            $new = "{$this->path}.new";
            $ground->write($new, 'we', json_encode(['node' => $note->node, 'logged' => $note->total, 'open' => $note->open, 'at' => $note->at, 'last' => $note->last], JSON_THROW_ON_ERROR));
            @rename($new, $this->path);
        } catch (HeadroomException) {
            return;
        }
    }
}
