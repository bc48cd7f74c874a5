<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\FilesystemProbe;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Maintenance\BucketRetirement;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\Path;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\RegularFile;

/**
 * A directory that cannot hold the buffer, or that contains files of other programs.
 *
 * @internal
 */
final readonly class DirectoryIsUnusable implements HealthCheck
{
    private FilesystemProbe $filesystem;

    private PermissionFix $fix;

    /** @param bool $allowNetwork reports a network filesystem as a note and not as a failure */
    public function __construct(
        private FileStore $store,
        private bool $allowNetwork = false,
        ?FilesystemProbe $filesystem = null,
    ) {
        $this->filesystem = $filesystem ?? new FilesystemProbe($store->root);
        $this->fix = new PermissionFix($store->root);
    }

    /** @return list<Finding> only the finding about the root when that one is fatal */
    public function findings(): array
    {
        $network = $this->network();
        $rootProblem = $network?->fatal === true ? $network : $this->rootProblem();
        $notes = $network === null ? [] : [$network];

        if ($rootProblem !== null) {
            return $rootProblem->fatal ? [$rootProblem] : [...$notes, $rootProblem];
        }

        try {
            if ($this->store->isUntouched()) {
                return $notes;
            }

            // Throws when the file with the id is missing, or this user cannot read it.
            $this->store->node();
            $buckets = "{$this->store->root}/buckets";

            if (is_dir($buckets) && ! (is_readable($buckets) && is_writable($buckets) && is_executable($buckets))) {
                return [new Finding(
                    $buckets,
                    'This user cannot use it. '.Permissions::ownership($buckets),
                    $this->fix->access($buckets),
                )];
            }

            return [...$notes, ...$this->contents()];
        } catch (HeadroomException $e) {
            return [$this->unusable($e)];
        }
    }

    private function unusable(HeadroomException $e): Finding
    {
        $node = "{$this->store->root}/node";
        $kind = RegularFile::irregularKind($node);
        clearstatcache();

        return match (true) {
            $kind !== null => self::wrongType($node, $kind),
            $e instanceof UnableToAppend
                && $e->path === $node
                && is_readable($node)
                && is_writable($node) => new Finding(
                    $node,
                    'It does not contain a node id: 32 hex digits, 0 to 9 and a to f.',
                    'Restore the id: it follows "node" at the beginning of each file in buckets/*/active, sealed and'
                        .' completed. If there are no such files, remove this one.',
                ),
            default => new Finding($this->store->root, $e->getMessage(), $this->fix->access($node)),
        };
    }

    private function network(): ?Finding
    {
        return $this->filesystem->isLocal() ? null : new Finding(
            $this->store->root,
            "It is on a {$this->filesystem->type()} filesystem, where locks and appends can fail silently."
                .' Acknowledged events can be lost or delivered twice.',
            'Set spool.path to a directory on a local disk.',
            ! $this->allowNetwork,
        );
    }

    private function rootProblem(): ?Finding
    {
        $root = $this->store->root;

        if (PhpRestrictions::hide($root)) {
            return new Finding(
                $root,
                'It is outside open_basedir, so PHP cannot use it.',
                'Set spool.path to a directory of the site, or ask your host to add this one to open_basedir in'
                    .' php.ini.',
            );
        }

        if (Path::isAbsent($root)) {
            return $this->missingRoot($root);
        }

        if (file_exists($root) && ! is_dir($root)) {
            return new Finding(
                $root,
                'It is not a directory.',
                'Move the file away, or set spool.path to another path.',
            );
        }

        if (! is_dir($root)) {
            return new Finding(
                $root,
                'This user cannot reach it. '.Permissions::ownership($root),
                $this->fix->passage($this->nearestExisting($root)),
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
                "File locks do not work there: {$failure}.",
                'Set spool.path to a directory on a local disk.',
            );
    }

    private function missingRoot(string $root): Finding
    {
        return is_writable($this->nearestExisting($root)) && is_dir($this->nearestExisting($root))
            ? new Finding(
                $root,
                'It does not exist yet. The first event creates it, and it will belong to the user that writes'
                    .' that event.',
                'Start the collector, or write the first event, as the user that serves requests;'
                    .' in Laravel run `spool:install` as that user.',
                false,
            )
            : new Finding(
                $root,
                'It does not exist, and this user cannot create it. '.Permissions::ownership($root),
                $this->fix->create(),
            );
    }

    private function nearestExisting(string $path): string
    {
        while (! file_exists($path) && $path !== dirname($path)) {
            $path = dirname($path);
        }

        return $path;
    }

    /** @return list<Finding> */
    private function contents(): array
    {
        $buckets = array_map($this->store->layout(...), $this->store->buckets());

        return [
            ...$this->wrongTypes($buckets),
            ...(new AccessIsDenied($this->store->root, $this->store->permissions, $buckets))->findings(),
            ...$this->unknownFiles($buckets),
        ];
    }

    /**
     * Paths with a name that the buffer uses and a type that it never creates there, such as a symbolic link.
     *
     * @param array<Layout> $buckets
     * @return list<Finding>
     */
    private function wrongTypes(array $buckets): array
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
            $paths = [...$paths, ...$layout->files(), $layout->historyFile()];
            $strange = [...$strange, ...$layout->foreignFiles()];
        }

        $kinds = array_filter(
            [
                ...array_fill_keys($links, 'a symbolic link'),
                ...$strange,
                ...array_combine($paths, array_map(RegularFile::irregularKind(...), $paths)),
            ],
            is_string(...),
        );

        return array_map(self::wrongType(...), array_keys($kinds), array_values($kinds));
    }

    private static function wrongType(string $path, string $kind): Finding
    {
        return new Finding(
            $path,
            "It is {$kind}, which the buffer never creates there, so the buffer does not use it.",
            'Find out how it came there, and remove it.',
        );
    }

    /**
     * @param array<Layout> $buckets
     * @return list<Finding>
     */
    private function unknownFiles(array $buckets): array
    {
        $root = $this->store->root;
        $known = array_map(static fn (Layout $layout): string => basename($layout->directory), $buckets);
        $found = array_map(static fn (string $name): string => "{$root}/{$name}", array_filter(
            DirectoryListing::asSeen($root)->names(),
            static fn (string $name): bool => ! in_array(
                $name,
                [
                    'node', 'buckets', 'collector', 'paused', 'restart', 'heartbeat', 'autoflush', 'alerts', 'logged',
                    'metrics', 'redis', 'redis-buffer', 'redis-down', 'redis-history', 'undeclared', 'workers',
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
                array_filter(
                    array_diff(DirectoryListing::asSeen("{$root}/buckets")->names(), $known),
                    static fn (string $name): bool => ! BucketRetirement::isRetired(new Layout($root, $name)),
                ),
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
                'The buffer did not create this file and does not use it.',
                'Move it to another directory.',
                false,
            ),
            $found,
        );
    }
}
