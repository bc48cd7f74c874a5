<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\HeadroomException;

/**
 * What this machine saw last of a bucket's stream in Redis, on its own disk: a stream that was lost can not tell that it
 * was there.
 *
 * @internal
 */
final readonly class StreamNote
{
    private string $path;

    public function __construct(private FileStore $store, string $bucket)
    {
        $this->path = "{$store->root}/redis/{$bucket}";
    }

    /** @return ?array{node: string, logged: int, open: int, at: int} null where this machine saw none */
    public function read(): ?array
    {
        clearstatcache();
        $note = json_decode((string) RegularFile::read($this->path, 4_096), true);

        return is_array($note) && is_string($note['node'] ?? null) && is_int($note['logged'] ?? null) && is_int($note['open'] ?? null) && is_int($note['at'] ?? null)
            ? ['node' => $note['node'], 'logged' => $note['logged'], 'open' => $note['open'], 'at' => $note['at']]
            : null;
    }

    /**
     * Where it can not be written, a loss is told by other machines, or not at all.
     *
     * @param array{node: string, logged: int, open: int, at: int} $note
     */
    public function write(array $note): void
    {
        try {
            $ground = new Ground($this->store->root, $this->store->permissions);
            $ground->makeDirectory("{$this->store->root}/redis");
            $new = "{$this->path}.new";
            $ground->write($new, 'we', json_encode($note, JSON_THROW_ON_ERROR));
            @rename($new, $this->path);
        } catch (HeadroomException) {
            return;
        }
    }
}
