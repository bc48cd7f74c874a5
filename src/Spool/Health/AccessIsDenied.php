<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;

/**
 * Files and directories of the buffer that a request, a flush or a shell cannot use: these are often different users.
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
            $problems = [...$problems, ...$this->blocked($layout)];
        }

        return $problems !== [] ? $problems : [...$this->closed(), ...$this->owners()];
    }

    /** @return list<Finding> paths that this user cannot flush */
    private function blocked(Layout $layout): array
    {
        $blocked = [
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

        if ($blocked === []) {
            return [];
        }

        $others = count($blocked) === 1 ? '' : ' The same goes for '.(count($blocked) - 1).' more in that bucket.';

        return [new Finding(
            $blocked[0],
            'This user cannot flush it. '.Permissions::ownership($blocked[0]).$others,
            $this->fix->access($blocked[0]),
        )];
    }

    /** @return list<Finding> paths that are older than the wider modes of the configuration */
    private function closed(): array
    {
        foreach ($this->directories() as $path) {
            if ($this->lacks($path, $this->permissions->directory)) {
                return [$this->closedProblem($path, 'dir_mode', $this->permissions->directory)];
            }
        }

        foreach ([...$this->allFiles(), "{$this->root}/node"] as $path) {
            if ($this->lacks($path, $this->permissions->file)) {
                return [$this->closedProblem($path, 'file_mode', $this->permissions->file)];
            }
        }

        return [];
    }

    private function closedProblem(string $path, string $key, int $wanted): Finding
    {
        $seen = sprintf('0%o', (int) @fileperms($path) & 07777);

        return new Finding(
            $path,
            sprintf('Its mode is %s, but %s is 0%o, so that another user would be kept out.', $seen, $key, $wanted),
            $this->fix->modes($this->permissions->directory, $this->permissions->file),
        );
    }

    /** @return list<Finding> several users made files here, and the modes admit only one */
    private function owners(): array
    {
        $host = @fileowner($this->root);
        $guests = [];

        foreach (($this->permissions->directory & 070) === 070 ? [] : [
            ...$this->directories(), ...$this->allFiles(), "{$this->root}/node",
        ] as $path) {
            $owner = @fileowner($path);

            if ($owner !== false && $host !== false && $owner !== $host) {
                // A directory of another user takes no event. Only another flush needs the files that a flush makes.
                $guests[$owner] = ($guests[$owner] ?? false) || is_dir($path) || $path === "{$this->root}/node";
            }
        }

        $problems = [];

        foreach ($guests as $owner => $fatal) {
            $who = Permissions::userName((int) $host).' and '.Permissions::userName($owner);
            $problems[] = new Finding(
                $this->root,
                sprintf(
                    '%s both made files here, while dir_mode 0%o keeps each out of what the other makes.',
                    $who,
                    $this->permissions->directory,
                ),
                ucfirst($this->fix->share((int) $host, $owner)),
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
                    [$layout->stateFile, $layout->flushLock, $layout->countersFile, $layout->workLock],
                    is_file(...),
                ),
                ...$layout->files(),
            ];
        }

        return $files;
    }
}
