<?php

declare(strict_types=1);

namespace Headroom\Bench\Buffer;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use RuntimeException;
use SplFileInfo;

/**
 * A directory beside the buffer, so that what is measured there is the same filesystem. It is gone in the end.
 *
 * @internal
 */
final readonly class Scratch
{
    private function __construct(public string $path) {}

    /** @param string $buffer root of the buffer, which need not be there yet */
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
                "{$path} could not be made: ".(error_get_last()['message'] ?? 'no reason was given')
                    .'. Run it as a user who may write beside the buffer.',
            );
    }

    public function directory(string $name): string
    {
        $path = "{$this->path}/{$name}";
        @mkdir($path, 0700, true);

        return $path;
    }

    /** Between two measurements: they are to find the same disk. */
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
