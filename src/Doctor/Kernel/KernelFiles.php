<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Doctor\FactUnavailable;
use Headroom\Support\FileOperation;

/**
 * Reads files of the kernel: /proc and /sys.
 *
 * @internal
 */
final readonly class KernelFiles
{
    /** @param string $root in place of / */
    public function __construct(private string $root = '') {}

    /**
     * @param string $path such as /proc/meminfo
     *
     * @throws FactUnavailable
     */
    public function read(string $path): string
    {
        $reason = '';
        $text = FileOperation::run(fn (): string|false => file_get_contents($this->root.$path), $reason);

        return match (true) {
            $text !== false => $text,
            preg_match('#\A/proc/(\d+)/#', $path, $m) === 1
                && ! file_exists("{$this->root}/proc/{$m[1]}") => throw UnreadableKernel::gone($path, (int) $m[1]),
            default => throw UnreadableKernel::unreadable($path, $reason),
        };
    }

    /**
     * Reads bytes at an offset, unbuffered: in /proc/PID/mem, an offset is an address.
     *
     * @param positive-int $length
     * @return ?string fewer at the end of the file or mapping; null without permission
     */
    public function bytes(string $path, int $offset, int $length): ?string
    {
        $file = @fopen($this->root.$path, 'rb');

        if ($file === false) {
            return null;
        }

        stream_set_read_buffer($file, 0);
        $bytes = $offset >= 0 && fseek($file, $offset) === 0 ? @fread($file, $length) : false;
        fclose($file);

        return $bytes === false || $bytes === '' ? null : $bytes;
    }

    /** The target of a link in /proc, such as /proc/1/exe or /proc/1/ns/net. Null without permission. */
    public function target(string $path): ?string
    {
        $target = @readlink($this->root.$path);

        return $target === false ? null : $target;
    }

    /**
     * The number of entries of a directory.
     *
     * @throws FactUnavailable
     */
    public function entries(string $path): int
    {
        $reason = '';
        $entries = FileOperation::run(fn (): array|false => scandir($this->root.$path), $reason);

        return $entries === false ? throw UnreadableKernel::unlisted($path, $reason) : count($entries) - 2;
    }

    /** @return list<string> paths of files in a directory whose names end so; none where it cannot be listed */
    public function named(string $directory, string $end): array
    {
        $entries = @scandir($this->root.$directory);
        $found = array_filter(
            $entries === false ? [] : $entries,
            static fn (string $name): bool => str_ends_with($name, $end),
        );

        return array_values(array_map(static fn (string $name): string => "{$directory}/{$name}", $found));
    }

    /** The file that a link leads to. */
    public function real(string $path): string
    {
        $real = realpath($this->root.$path);
        $isBelow = $real !== false && str_starts_with($real, "{$this->root}/");

        return $isBelow ? substr($real, strlen($this->root)) : $path;
    }

    public function has(string $path): bool
    {
        return file_exists($this->root.$path);
    }

    /** @return list<int> of all processes to be seen */
    public function pids(): array
    {
        return $this->numbers('/proc');
    }

    /**
     * @return list<int> entries of a directory that are numbers, such as the descriptors in /proc/1/fd;
     *     none without the right to look
     */
    public function numbers(string $directory): array
    {
        $entries = @scandir($this->root.$directory);

        return array_map(intval(...), array_values(array_filter($entries === false ? [] : $entries, ctype_digit(...))));
    }
}
