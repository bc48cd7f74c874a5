<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * A temporary file with a line per row, which only this user may read. It goes when whoever reads it is done; what a
 * process left that was killed goes when the next one is written for the same bucket, of which there is one at a time.
 *
 * @internal
 */
final readonly class RowsFile
{
    /** A child that was forked while it lay there must not take it away from its parent. */
    private int $process;

    private function __construct(public string $path)
    {
        $this->process = PhpRestrictions::pid();
    }

    /**
     * Not by a finally, which exit() in a callback passes by. A callback may have removed it, or moved it to where it
     * wants it.
     */
    public function __destruct()
    {
        if ($this->process === PhpRestrictions::pid()) {
            @unlink($this->path);
        }
    }

    /**
     * @param string $of names the bucket and its node
     * @param list<string> $lines
     * @param string $root of the buffer, where open_basedir shuts PHP out of the directory for temporary files
     *
     * @throws UnableToFlush
     */
    public static function write(string $of, array $lines, string $root): self
    {
        $directory = PhpRestrictions::hide(sys_get_temp_dir()) ? $root : sys_get_temp_dir();
        $prefix = 'headroom-'.substr(hash('sha256', $of), 0, 16).'-';
        self::removeLeftovers($directory, $prefix);

        $reason = '';
        $path = FileOperation::run(static fn (): string|false => tempnam($directory, $prefix), $reason);

        if ($path === false) {
            throw StorageUnavailable::notWritten("{$directory}/{$prefix}*", $reason);
        }

        $file = new self($path);
        $bytes = count($lines) + array_sum(array_map(strlen(...), $lines));
        $written = FileOperation::run(static fn (): int|false => file_put_contents($path, implode("\n", $lines)."\n"), $reason);

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
