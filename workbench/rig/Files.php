<?php

declare(strict_types=1);

namespace Workbench\Rig;

use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * Directories as a deployment moves them about.
 */
final readonly class Files
{
    /**
     * Whatever is there already is taken away first. Times stay as they are, blocks are shared
     * where the file system can.
     */
    public static function copy(string $from, string $to): void
    {
        self::run('rm', '-rf', $to);
        self::run('cp', '-a', '--reflink=auto', $from, $to);
    }

    /** Everybody may read it, whatever the umask of who made it. */
    public static function share(string $path): void
    {
        self::run('chmod', '-R', 'a+rX', $path);
    }

    public static function own(string $path, string $user, string $group): void
    {
        self::run('chown', '-R', "{$user}:{$group}", $path);
    }

    public static function write(string $path, string $text): void
    {
        if (file_put_contents($path, $text) !== strlen($text)) {
            throw new RuntimeException("{$path} could not be written.");
        }
    }

    public static function directory(string $path): void
    {
        if (! is_dir($path) && ! mkdir($path, 0o755, true)) {
            throw new RuntimeException("{$path} could not be made.");
        }
    }

    public static function run(string ...$command): void
    {
        $process = new Process(array_values($command), timeout: null);

        if ($process->run() !== 0) {
            throw new RuntimeException(implode(' ', $command)." failed:\n{$process->getErrorOutput()}");
        }
    }
}
