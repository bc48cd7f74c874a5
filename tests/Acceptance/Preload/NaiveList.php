<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use FilesystemIterator;
use Headroom\Host\WebConfig;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;
use Workbench\Rig\Production;

/**
 * A preload script as it is written by hand: each file of some directories is compiled, and nothing is looked at.
 */
final readonly class NaiveList
{
    /** @param string ...$paths files and directories of the release */
    public static function of(Production $release, string ...$paths): WebConfig
    {
        $files = array_merge(...array_map(
            static fn (string $path): array => self::files($release->path($path)),
            array_values($paths),
        ));
        sort($files);
        $script = $release->path('preload.php');
        file_put_contents(
            $script,
            '<?php foreach ('.var_export($files, true).' as $file) { opcache_compile_file($file); }',
        );
        chmod($script, 0o644);

        return $release->web(ini: ['opcache.preload' => $script]);
    }

    /** @return list<string> */
    private static function files(string $path): array
    {
        if (is_file($path)) {
            return [$path];
        }

        $files = [];

        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator(
            $path,
            FilesystemIterator::SKIP_DOTS,
        )) as $file) {
            if (
                $file instanceof SplFileInfo
                && $file->getExtension() === 'php'
                && ! str_contains($file->getPathname(), '/resources/')
            ) {
                $files[] = $file->getPathname();
            }
        }

        return $files;
    }
}
