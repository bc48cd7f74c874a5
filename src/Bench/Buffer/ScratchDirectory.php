<?php

declare(strict_types=1);

namespace Headroom\Bench\Buffer;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use RuntimeException;
use SplFileInfo;

/**
 * A directory next to the buffer, so on the same file system. It is removed at the end.
 *
 * @internal
 */
final readonly class ScratchDirectory
{
    private function __construct(public string $path) {}

    /** @param string $buffer root of the buffer, which need not exist yet */
    public static function beside(string $buffer): self
    {
        $around = dirname($buffer);

        while (! is_dir($around) && $around !== dirname($around)) {
            $around = dirname($around);
        }

        $path = "{$around}/spool-bench-".bin2hex(random_bytes(4));

        return @mkdir($path, 0700)
            ? new self($path)
            : throw new RuntimeException(
                "{$path} cannot be created: ".(error_get_last()['message'] ?? 'no reason was given')
                    .'. Run this as a user that may write to that directory.',
            );
    }

    public function directory(string $name): string
    {
        $path = "{$this->path}/{$name}";
        @mkdir($path, 0700, true);

        return $path;
    }

    /** Between two measurements, so that both find the same disk. */
    public function clear(string $name): void
    {
        $path = "{$this->path}/{$name}";

        if (is_dir($path)) {
            self::removeTree($path);
        }
    }

    public function remove(): void
    {
        self::removeTree($this->path);
    }

    private static function removeTree(string $path): void
    {
        /** @var iterable<SplFileInfo> $entries */
        $entries = new RecursiveIteratorIterator(
            new RecursiveDirectoryIterator($path, FilesystemIterator::SKIP_DOTS),
            RecursiveIteratorIterator::CHILD_FIRST,
        );

        foreach ($entries as $entry) {
            $entry->isDir() && ! $entry->isLink() ? @rmdir($entry->getPathname()) : @unlink($entry->getPathname());
        }

        @rmdir($path);
    }
}
