<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * The mounts that one process sees, from proc_pid_mountinfo(5).
 *
 * @internal
 */
final readonly class MountTable
{
    private const ESCAPED = ['\\040' => ' ', '\\011' => "\t", '\\012' => "\n", '\\134' => '\\'];

    /** @param list<array{string, string}> $mounts mount point, and the device with the directory on it */
    private function __construct(private array $mounts) {}

    /** @return ?self null without permission to read the file */
    public static function read(string $file): ?self
    {
        $text = @file_get_contents($file);
        $mounts = [];

        foreach ($text === false ? [] : explode("\n", rtrim($text)) as $line) {
            $fields = explode(' ', $line);
            $mounts[] = [
                rtrim(strtr($fields[4] ?? '', self::ESCAPED), '/'),
                ($fields[2] ?? '').' '.rtrim(strtr($fields[3] ?? '', self::ESCAPED), '/'),
            ];
        }

        return $text === false ? null : new self($mounts);
    }

    /**
     * True if everything below the directory comes from the same mounts in both tables. Mount options such as ro are
     * not compared.
     */
    public function agreesBelow(string $directory, self $other): bool
    {
        $directory = rtrim($directory, '/');

        foreach ([[$directory], ...$this->mounts, ...$other->mounts] as [$point]) {
            if (self::covers($directory, $point) && $this->source($point) !== $other->source($point)) {
                return false;
            }
        }

        return true;
    }

    /** The device, and the path on it. */
    private function source(string $path): string
    {
        $source = '';

        foreach ($this->mounts as [$point, $from]) {
            // A later mount covers an earlier one.
            $source = self::covers($point, $path) ? $from.substr($path, strlen($point)) : $source;
        }

        return $source;
    }

    private static function covers(string $directory, string $path): bool
    {
        return str_starts_with("{$path}/", "{$directory}/");
    }
}
