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
 * What this machine saw last of a bucket's stream in Redis, on its own disk: a stream that was lost can not tell that
 * it was there.
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

    /** @return list<DrainCheckpoint> the owner's, and those that writers left after it */
    public function all(): array
    {
        $note = $this->ofOwner();
        $sights = array_map(fn (string $name): ?DrainCheckpoint => $this->sight($name, $note), $this->sights());

        return array_values(array_filter([$note, ...$sights]));
    }

    public function ofOwner(): ?DrainCheckpoint
    {
        clearstatcache();
        $note = json_decode((string) RegularFile::read($this->path, 4_096), true);

        return is_array($note)
                && is_string($note['node'] ?? null)
                && is_int($note['logged'] ?? null)
                && is_int($note['open'] ?? null)
                && is_int($note['at'] ?? null)
            ? new DrainCheckpoint(
                $note['node'],
                $note['logged'],
                max(0, $note['open']),
                $note['at'],
                is_string($note['last'] ?? null) ? $note['last'] : '',
                drained: is_string($note['drained'] ?? null) ? $note['drained'] : '',
            )
            : null;
    }

    /** Notes the stream as it is now. */
    public function update(Client $client, FileStore $disk, Clock $clock): void
    {
        $bucket = basename($this->path);
        $layout = $disk->layout($bucket);
        $flush = Path::isAbsent($layout->directory)
            ? null
            : (new StateFile($layout->stateFile, $disk->permissions))->read()->flush;
        $seen = RedisSnapshot::take($client, new Keys($bucket));
        $progress = $seen->record->flush->progress;
        $this->write(new DrainCheckpoint(
            $seen->meta->node,
            $seen->meta->total(),
            max(0, $seen->meta->logged + $seen->meta->reckoned - $seen->meta->lost - $progress->delivered - $progress->dead),
            intdiv($clock->micros(), 1_000_000),
            $seen->last === '' ? $seen->meta->trimmedTo : $seen->last,
            drained: $flush?->isOfRedis() === true ? $flush->progress->position->toString() : '',
        ), $seen->meta->server);
    }

    /** Where it can not be written, a loss is told by other machines, or not at all. */
    public function write(DrainCheckpoint $note, string $server): void
    {
        if ($this->ofOwner()?->isSame($note) === true) {
            return;
        }

        try {
            $ground = new RootDirectory($this->root, $this->permissions);
            $ground->makeDirectory($this->directory);
            $new = "{$this->path}.new";
            $ground->write(
                $new,
                'we',
                json_encode(
                    [
                        'node' => $note->node,
                        'logged' => $note->total,
                        'open' => $note->open,
                        'at' => $note->at,
                        'last' => $note->last,
                        'drained' => $note->drained,
                    ],
                    JSON_THROW_ON_ERROR,
                ),
            );
            @rename($new, $this->path);
        } catch (HeadroomException) {
            return;
        }

        // Writers go on with the others.
        foreach (array_diff($this->sights(), ["{$note->node}@{$server}"]) as $name) {
            @unlink("{$this->path}@{$name}");
        }
    }

    public function remove(): void
    {
        @unlink($this->path);

        foreach ($this->sights() as $name) {
            @unlink("{$this->path}@{$name}");
        }
    }

    /** @param ?DrainCheckpoint $note what was known before it */
    private function sight(string $name, ?DrainCheckpoint $note): ?DrainCheckpoint
    {
        [$node, $server] = [...explode('@', $name), ''];
        $note = $note?->node === $node ? $note : null;
        $path = "{$this->path}@{$name}";
        $isWhole = preg_match(
            '/\A(\d{1,15}) (\d+-\d+) *\z/',
            (string) RegularFile::read($path, LastStreamEntry::BYTES),
            $m,
        ) === 1;

        return ! $isWhole || ($note !== null && (int) $m[1] <= $note->total) ? null
            : new DrainCheckpoint(
                $node,
                (int) $m[1],
                max(0, ($note->open ?? 0) + (int) $m[1] - ($note->total ?? 0)),
                (int) @filemtime($path),
                $m[2],
                $server,
            );
    }

    /** @return list<string> stream and server of each that writers saw */
    private function sights(): array
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
