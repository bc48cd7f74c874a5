<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\FilesystemProbe;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\Path;
use Headroom\Support\PhpRestrictions;

/**
 * A directory that cannot be a buffer, or has files that do not belong there.
 *
 * @internal
 */
final readonly class DirectoryIsUnusable implements HealthCheck
{
    private FilesystemProbe $filesystem;

    private PermissionFix $fix;

    /** @param bool $allowNetwork a network filesystem is only noted */
    public function __construct(
        private FileStore $store,
        private bool $allowNetwork = false,
        ?FilesystemProbe $filesystem = null,
    ) {
        $this->filesystem = $filesystem ?? new FilesystemProbe($store->root);
        $this->fix = new PermissionFix($store->root);
    }

    /** @return list<Finding> when one about the root is fatal, it comes first and alone */
    public function findings(): array
    {
        $network = $this->network();
        $obstacle = $network?->fatal === true ? $network : $this->obstacle();
        $notes = $network === null ? [] : [$network];

        if ($obstacle !== null) {
            return $obstacle->fatal ? [$obstacle] : [...$notes, $obstacle];
        }

        try {
            if ($this->store->isUntouched()) {
                return $notes;
            }

            // Throws when the id is gone or out of this user's sight.
            $this->store->node();
            $buckets = "{$this->store->root}/buckets";

            if (is_dir($buckets) && ! (is_readable($buckets) && is_writable($buckets) && is_executable($buckets))) {
                return [new Finding(
                    $buckets,
                    'This user cannot use it. '.Permissions::ownership($buckets),
                    $this->fix->access($buckets),
                )];
            }

            return [...$notes, ...$this->inside()];
        } catch (HeadroomException $e) {
            return [$this->unusable($e)];
        }
    }

    private function unusable(HeadroomException $e): Finding
    {
        $node = "{$this->store->root}/node";
        $kind = BufferFile::irregularKind($node);
        clearstatcache();

        return match (true) {
            $kind !== null => self::stranger($node, $kind),
            $e instanceof UnableToAppend
                && $e->path === $node
                && is_readable($node)
                && is_writable($node) => new Finding(
                    $node,
                    'It does not hold the 32 hex digits of an id, which are 0 to 9 and a to f.',
                    'Put back the id, which stands behind "node" at the beginning of every file in buckets/*/active, sealed and completed; if there is none, remove this one.',
                ),
            default => new Finding($this->store->root, $e->getMessage(), $this->fix->access($node)),
        };
    }

    private function network(): ?Finding
    {
        return $this->filesystem->isLocal() ? null : new Finding(
            $this->store->root,
            "It lies on a {$this->filesystem->type()} filesystem, where locks and appends can fail silently: acknowledged events can be lost or delivered twice.",
            'Point spool.path to a directory on a local disk.',
            ! $this->allowNetwork,
        );
    }

    private function obstacle(): ?Finding
    {
        $root = $this->store->root;

        if (PhpRestrictions::hide($root)) {
            return new Finding(
                $root,
                'It lies outside open_basedir, so PHP may not use it.',
                "Point spool.path into the site's folder, or ask your host to add it to open_basedir in php.ini.",
            );
        }

        if (Path::isAbsent($root)) {
            return $this->absence($root);
        }

        if (file_exists($root) && ! is_dir($root)) {
            return new Finding($root, 'It is no directory.', 'Move it away, or point spool.path elsewhere.');
        }

        if (! is_dir($root)) {
            return new Finding(
                $root,
                'This user cannot reach it. '.Permissions::ownership($root),
                $this->fix->passage($this->nearest($root)),
            );
        }

        if (! is_readable($root) || ! is_writable($root) || ! is_executable($root)) {
            return new Finding(
                $root,
                'This user cannot use it. '.Permissions::ownership($root),
                $this->fix->access($root),
            );
        }

        $failure = $this->filesystem->lockFailure();

        return $failure === null
            ? null
            : new Finding(
                $root,
                "Locking does not work there: {$failure}.",
                'Point spool.path to a directory on a local disk.',
            );
    }

    private function absence(string $root): Finding
    {
        return is_writable($this->nearest($root)) && is_dir($this->nearest($root))
            ? new Finding(
                $root,
                'It does not exist yet. The first event makes it, and it belongs to the user who wrote that event.',
                'Start the collector, or write the first event, as the user that serves requests; in Laravel run `spool:install` as that user.',
                false,
            )
            : new Finding(
                $root,
                'It does not exist, and this user cannot make it. '.Permissions::ownership($root),
                $this->fix->create(),
            );
    }

    private function nearest(string $path): string
    {
        while (! file_exists($path) && $path !== dirname($path)) {
            $path = dirname($path);
        }

        return $path;
    }

    /** @return list<Finding> */
    private function inside(): array
    {
        $buckets = array_map($this->store->layout(...), $this->store->buckets());

        return [
            ...$this->strangers($buckets),
            ...(new AccessIsDenied($this->store->root, $this->store->permissions, $buckets))->findings(),
            ...$this->foreigners($buckets),
        ];
    }

    /**
     * What bears a name of the buffer's and is no file or directory of its own.
     *
     * @param array<Layout> $buckets
     * @return list<Finding>
     */
    private function strangers(array $buckets): array
    {
        $paths = ["{$this->store->root}/node"];
        $strange = [];
        $links = array_filter(
            array_map(
                fn (string $name): string => "{$this->store->root}/buckets/{$name}",
                (new DirectoryListing("{$this->store->root}/buckets"))->names(),
            ),
            is_link(...),
        );

        foreach ($buckets as $layout) {
            $links = [...$links, ...$layout->links()];
            $paths = [...$paths, ...$layout->files()];
            $strange = [...$strange, ...$layout->foreignFiles()];
        }

        $kinds = array_filter(
            [
                ...array_fill_keys($links, 'a symbolic link'),
                ...$strange,
                ...array_combine($paths, array_map(BufferFile::irregularKind(...), $paths)),
            ],
            is_string(...),
        );

        return array_map(self::stranger(...), array_keys($kinds), array_values($kinds));
    }

    private static function stranger(string $path, string $kind): Finding
    {
        return new Finding(
            $path,
            "It is {$kind}, and the buffer made none there, so it is not used.",
            'Find out how it came there, and remove it.',
        );
    }

    /**
     * @param array<Layout> $buckets
     * @return list<Finding>
     */
    private function foreigners(array $buckets): array
    {
        $root = $this->store->root;
        $known = array_map(static fn (Layout $layout): string => basename($layout->directory), $buckets);
        $found = array_map(static fn (string $name): string => "{$root}/{$name}", array_filter(
            DirectoryListing::asSeen($root)->names(),
            static fn (string $name): bool => ! in_array(
                $name,
                [
                    'node', 'buckets', 'collector', 'paused', 'restart', 'heartbeat', 'autoflush', 'logged', 'redis',
                    'redis-buffer', 'redis-down',
                ],
                true,
            )
                && ! str_starts_with($name, 'probe.')
                && ! str_starts_with($name, 'headroom-'),
        ));
        $found = [
            ...$found,
            ...array_map(
                static fn (string $name): string => "{$root}/buckets/{$name}",
                array_diff(DirectoryListing::asSeen("{$root}/buckets")->names(), $known),
            ),
        ];

        foreach ($buckets as $layout) {
            foreach ([$layout->active, $layout->sealed, $layout->completed, $layout->quarantine] as $folder) {
                $found = [
                    ...$found,
                    ...array_map(
                        static fn (string $name): string => "{$folder}/{$name}",
                        DirectoryListing::asSeen($folder)->foreign(),
                    ),
                ];
            }
        }

        return array_map(
            static fn (string $path): Finding => new Finding(
                $path,
                'The buffer did not make this file. It is left alone.',
                'Move it elsewhere.',
                false,
            ),
            $found,
        );
    }
}
