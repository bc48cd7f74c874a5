<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * A temporary file with one line per row, which only this user may read. It is removed with its object. A file that a
 * killed process left is removed when the next one is written for the same bucket: only one process flushes a bucket at
 * a time.
 *
 * @internal
 */
final readonly class RowsFile
{
    /**
     * The process that created the file. A forked child, which inherits the object, must not remove its parent's file.
     */
    private int $process;

    private function __construct(public string $path)
    {
        $this->process = PhpRestrictions::pid();
    }

    /**
     * Removes the file. A finally block would not do, because exit() in a callback skips it. The callback may have
     * removed or moved the file already.
     */
    public function __destruct()
    {
        if ($this->process === PhpRestrictions::pid()) {
            @unlink($this->path);
        }
    }

    /**
     * @param string $source names the bucket and its node
     * @param list<string> $lines
     * @param string $root directory of the buffer, used where open_basedir denies the directory for temporary files
     *
     * @throws UnableToFlush
     */
    public static function write(string $source, array $lines, string $root): self
    {
        $directory = PhpRestrictions::hide(sys_get_temp_dir()) ? $root : sys_get_temp_dir();
        $prefix = 'headroom-'.substr(hash('sha256', $source), 0, 16).'-';
        self::removeLeftovers($directory, $prefix);

        $reason = '';
        $path = FileOperation::run(static fn (): string|false => tempnam($directory, $prefix), $reason);

        if ($path === false) {
            throw StorageUnavailable::notWritten("{$directory}/{$prefix}*", $reason);
        }

        $file = new self($path);
        $bytes = count($lines) + array_sum(array_map(strlen(...), $lines));
        $written = FileOperation::run(
            static fn (): int|false => file_put_contents($path, implode("\n", $lines)."\n"),
            $reason,
        );

        if ($written !== $bytes) {
            throw StorageUnavailable::notWritten($path, $reason);
        }

        return $file;
    }

    private static function removeLeftovers(string $directory, string $prefix): void
    {
        $names = @scandir($directory);

        foreach ($names === false ? [] : $names as $name) {
            if (str_starts_with($name, $prefix)) {
                @unlink("{$directory}/{$name}");
            }
        }
    }
}
