<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host\Attack;

use Headroom\Process\Proc;
use Headroom\Process\RootOwnedPath;

/**
 * The files that root has opened, or has told a program to read, in a server that it has started.
 */
final readonly class RootFiles
{
    /** @return list<string> those that lie where another user may exchange them */
    public static function exchangeable(int $starter): array
    {
        $proc = new Proc;
        $found = [];

        foreach (array_keys($proc->descendants($starter)) as $pid) {
            $isRoot = $proc->owner($pid) === 0;

            // Root opens the log before the server becomes another user.
            foreach ($isRoot ? self::opened($pid) : [
                @readlink("/proc/{$pid}/fd/1"), @readlink("/proc/{$pid}/fd/2"),
            ] as $path) {
                $found[] = $path;
            }

            $found = [...$found, ...($isRoot ? self::told($proc->commandLine($pid)) : [])];
        }

        $files = array_filter(
            $found,
            static fn (string|false $path): bool => is_string($path)
                && str_starts_with($path, '/')
                && ! str_starts_with($path, '/dev/')
                && ! str_starts_with($path, '/proc/')
                && ! str_ends_with($path, ' (deleted)'),
        );

        return array_values(array_unique(array_filter(
            $files,
            static fn (string $path): bool => RootOwnedPath::weakness(dirname($path)) !== null,
        )));
    }

    /** @return list<string> */
    private static function opened(int $pid): array
    {
        $links = glob("/proc/{$pid}/fd/*");

        return array_map(static fn (string $link): string => (string) @readlink($link), $links === false ? [] : $links);
    }

    /**
     * @param list<string> $line
     * @return list<string>
     */
    private static function told(array $line): array
    {
        // FPM's title names its configuration in brackets.
        preg_match_all('~(?<![\w.])/[^\s"()=]+~', implode(' ', $line), $paths);

        return array_values(array_filter($paths[0], is_file(...)));
    }
}
