<?php

declare(strict_types=1);

namespace Headroom\Process;

use function explode;
use function file_get_contents;
use function rtrim;
use function str_starts_with;
use function strlen;
use function strtr;
use function substr;

/**
 * What is mounted where for one process, as proc_pid_mountinfo(5) has it.
 *
 * @internal
 */
final readonly class MountTable
{
    private const ESCAPED = ['\\040' => ' ', '\\011' => "\t", '\\012' => "\n", '\\134' => '\\'];

    /** @param list<array{string, string}> $mounts where it is mounted, and the device with the directory on it */
    private function __construct(private array $mounts) {}

    /** @return ?self null without the right to read */
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

    /** Whether all below a directory is the same by another table. Other rights of the same files are no difference. */
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

    /** The device and the path on it. */
    private function source(string $path): string
    {
        $source = '';

        foreach ($this->mounts as [$point, $from]) {
            // The last one lies on top of the others.
            $source = self::covers($point, $path) ? $from.substr($path, strlen($point)) : $source;
        }

        return $source;
    }

    private static function covers(string $directory, string $path): bool
    {
        return str_starts_with("{$path}/", "{$directory}/");
    }
}
