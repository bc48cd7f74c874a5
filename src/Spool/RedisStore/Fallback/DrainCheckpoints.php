<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Fallback;

use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\RedisSnapshot;
use Headroom\Support\Path;
use Headroom\Support\RegularFile;

/**
 * This machine's checkpoints of a bucket's stream in Redis. They are on its own disk, because a lost stream cannot show
 * that it existed.
 *
 * @internal
 */
final readonly class DrainCheckpoints
{
    private string $directory;

    private string $path;

    /** @param string $bucket a valid name */
    public function __construct(private string $root, private Permissions $permissions, string $bucket)
    {
        $this->directory = "{$root}/redis";
        $this->path = "{$this->directory}/{$bucket}";
    }

    /** @return list<DrainCheckpoint> the owner's checkpoint, and those that writers saved after it */
    public function all(): array
    {
        $owners = $this->ofOwner();
        $writers = array_map(fn (string $name): ?DrainCheckpoint => $this->ofWriter($name, $owners), $this->writers());

        return array_values(array_filter([$owners, ...$writers]));
    }

    public function ofOwner(): ?DrainCheckpoint
    {
        clearstatcache();
        $stored = json_decode((string) RegularFile::read($this->path, 4_096), true);

        return is_array($stored)
                && is_string($stored['node'] ?? null)
                && is_int($stored['logged'] ?? null)
                && is_int($stored['open'] ?? null)
                && is_int($stored['at'] ?? null)
            ? new DrainCheckpoint(
                $stored['node'],
                $stored['logged'],
                max(0, $stored['open']),
                $stored['at'],
                is_string($stored['last'] ?? null) ? $stored['last'] : '',
                drained: is_string($stored['drained'] ?? null) ? $stored['drained'] : '',
            )
            : null;
    }

    /** Saves a checkpoint of the stream as it is now. */
    public function update(Client $client, FileStore $disk, Clock $clock): void
    {
        $bucket = basename($this->path);
        $layout = $disk->layout($bucket);
        $flush = Path::isAbsent($layout->directory)
            ? null
            : (new StateFile($layout->stateFile, $disk->permissions))->read()->flush;
        $snapshot = RedisSnapshot::take($client, new Keys($bucket));
        $progress = $snapshot->record->flush->progress;
        $this->write(new DrainCheckpoint(
            $snapshot->meta->node,
            $snapshot->meta->total(),
            max(
                0,
                $snapshot->meta->logged + $snapshot->meta->reckoned - $snapshot->meta->lost
                    - $progress->delivered - $progress->dead,
            ),
            intdiv($clock->micros(), 1_000_000),
            $snapshot->last === '' ? $snapshot->meta->trimmedTo : $snapshot->last,
            drained: $flush?->isOfRedis() === true ? $flush->progress->position->toString() : '',
        ), $snapshot->meta->server);
    }

    /** If the file cannot be written, only other machines can report a loss. */
    public function write(DrainCheckpoint $checkpoint, string $server): void
    {
        if ($this->ofOwner()?->isSame($checkpoint) === true) {
            return;
        }

        try {
            $root = new RootDirectory($this->root, $this->permissions);
            $root->makeDirectory($this->directory);
            $new = "{$this->path}.new";
            $root->write(
                $new,
                'we',
                json_encode(
                    [
                        'node' => $checkpoint->node,
                        'logged' => $checkpoint->total,
                        'open' => $checkpoint->open,
                        'at' => $checkpoint->at,
                        'last' => $checkpoint->last,
                        'drained' => $checkpoint->drained,
                    ],
                    JSON_THROW_ON_ERROR,
                ),
            );
            @rename($new, $this->path);
        } catch (HeadroomException) {
            return;
        }

        // Writers use the file of the present stream and server, and no longer the others.
        foreach (array_diff($this->writers(), ["{$checkpoint->node}@{$server}"]) as $name) {
            @unlink("{$this->path}@{$name}");
        }
    }

    public function remove(): void
    {
        @unlink($this->path);

        foreach ($this->writers() as $name) {
            @unlink("{$this->path}@{$name}");
        }
    }

    /** @param ?DrainCheckpoint $owners the owner's checkpoint, to whose events the writer's are added */
    private function ofWriter(string $name, ?DrainCheckpoint $owners): ?DrainCheckpoint
    {
        [$node, $server] = [...explode('@', $name), ''];
        $owners = $owners?->node === $node ? $owners : null;
        $path = "{$this->path}@{$name}";
        $isWhole = preg_match(
            '/\A(\d{1,15}) (\d+-\d+) *\z/',
            (string) RegularFile::read($path, LastStreamEntry::BYTES),
            $m,
        ) === 1;

        return ! $isWhole || ($owners !== null && (int) $m[1] <= $owners->total) ? null
            : new DrainCheckpoint(
                $node,
                (int) $m[1],
                max(0, ($owners->open ?? 0) + (int) $m[1] - ($owners->total ?? 0)),
                (int) @filemtime($path),
                $m[2],
                $server,
            );
    }

    /** @return list<string> "NODE@SERVER": the stream and the server of each file of a writer */
    private function writers(): array
    {
        $own = basename($this->path).'@';
        $names = @scandir($this->directory);

        return array_values(array_map(
            static fn (string $name): string => substr($name, strlen($own)),
            array_filter(
                $names === false ? [] : $names,
                static fn (string $name): bool => str_starts_with($name, $own),
            ),
        ));
    }
}
