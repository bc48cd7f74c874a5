<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;

/**
 * Files and directories of the buffer that one of its users cannot use. Requests, flushes and shells often run as
 * different users.
 *
 * @internal
 */
final readonly class AccessIsDenied implements HealthCheck
{
    private PermissionFix $fix;

    /** @param list<Layout> $buckets */
    public function __construct(private string $root, private Permissions $permissions, private array $buckets)
    {
        $this->fix = new PermissionFix($root);
    }

    /** @return list<Finding> */
    public function findings(): array
    {
        clearstatcache();
        $problems = [];

        foreach ($this->buckets as $layout) {
            $problems = [...$problems, ...$this->inaccessible($layout)];
        }

        return $problems !== [] ? $problems : [...$this->tooNarrow(), ...$this->owners()];
    }

    /** @return list<Finding> paths that this user cannot flush */
    private function inaccessible(Layout $layout): array
    {
        $inaccessible = [
            ...array_filter(
                $layout->directories(),
                static fn (string $path): bool => file_exists($path)
                    && ! (is_readable($path) && is_writable($path) && is_executable($path)),
            ),
            ...array_filter(
                [$layout->stateFile, "{$layout->stateFile}.new", $layout->flushLock, $layout->workLock],
                static fn (string $path): bool => file_exists($path) && ! (is_readable($path) && is_writable($path)),
            ),
            ...array_filter(
                $layout->files(),
                static fn (string $path): bool => file_exists($path) && ! is_readable($path),
            ),
        ];

        if ($inaccessible === []) {
            return [];
        }

        $others = count($inaccessible) === 1
            ? ''
            : ' The same applies to '.(count($inaccessible) - 1).' more in that bucket.';

        return [new Finding(
            $inaccessible[0],
            'This user cannot flush it. '.Permissions::ownership($inaccessible[0]).$others,
            $this->fix->access($inaccessible[0]),
        )];
    }

    /** @return list<Finding> paths whose modes are narrower than the modes of the configuration */
    private function tooNarrow(): array
    {
        foreach ($this->directories() as $path) {
            if ($this->lacks($path, $this->permissions->directory)) {
                return [$this->narrowMode($path, 'dir_mode', $this->permissions->directory)];
            }
        }

        foreach ([...$this->allFiles(), "{$this->root}/node"] as $path) {
            if ($this->lacks($path, $this->permissions->file)) {
                return [$this->narrowMode($path, 'file_mode', $this->permissions->file)];
            }
        }

        return [];
    }

    private function narrowMode(string $path, string $key, int $wanted): Finding
    {
        $seen = sprintf('0%o', (int) @fileperms($path) & 07777);

        return new Finding(
            $path,
            sprintf('Its mode is %s, but %s is 0%o, so another user cannot use it.', $seen, $key, $wanted),
            $this->fix->modes($this->permissions->directory, $this->permissions->file),
        );
    }

    /** @return list<Finding> several users created files here, and the modes admit only one of them */
    private function owners(): array
    {
        $rootOwner = @fileowner($this->root);
        $otherOwners = [];

        foreach (($this->permissions->directory & 070) === 070 ? [] : [
            ...$this->directories(), ...$this->allFiles(), "{$this->root}/node",
        ] as $path) {
            $owner = @fileowner($path);

            if ($owner !== false && $rootOwner !== false && $owner !== $rootOwner) {
                // No event can be written to the directory of another user, so that is fatal. The files that a flush
                // creates are needed only by other flushes.
                $otherOwners[$owner] = ($otherOwners[$owner] ?? false)
                    || is_dir($path)
                    || $path === "{$this->root}/node";
            }
        }

        $problems = [];

        foreach ($otherOwners as $owner => $fatal) {
            $both = Permissions::userName((int) $rootOwner).' and '.Permissions::userName($owner);
            $problems[] = new Finding(
                $this->root,
                sprintf(
                    '%s have both created files here, but dir_mode 0%o denies each access to the files of the other.',
                    $both,
                    $this->permissions->directory,
                ),
                ucfirst($this->fix->share((int) $rootOwner, $owner)),
                $fatal,
            );
        }

        return $problems;
    }

    private function lacks(string $path, int $mode): bool
    {
        $seen = @fileperms($path);

        return $seen !== false && ($seen & $mode) !== $mode;
    }

    /** @return list<string> */
    private function directories(): array
    {
        $directories = [$this->root];

        foreach ($this->buckets as $layout) {
            $directories = [
                ...$directories, dirname($layout->directory), ...array_filter($layout->directories(), is_dir(...)),
            ];
        }

        return array_values(array_unique($directories));
    }

    /** @return list<string> */
    private function allFiles(): array
    {
        $files = [];

        foreach ($this->buckets as $layout) {
            $files = [
                ...$files,
                ...array_filter(
                    [
                        $layout->stateFile,
                        $layout->flushLock,
                        $layout->countersFile,
                        $layout->workLock,
                        $layout->historyFile(),
                    ],
                    is_file(...),
                ),
                ...$layout->files(),
            ];
        }

        return $files;
    }
}
