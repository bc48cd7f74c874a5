<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Core\Permanent;
use RuntimeException;

/**
 * @internal
 */
final class UnableToFindProgram extends RuntimeException implements Permanent
{
    private function __construct(string $message, public readonly string $package)
    {
        parent::__construct($message);
    }

    /**
     * @param list<string> $names
     * @param list<string> $folders where was looked as well
     */
    public static function program(array $names, string $package, array $folders = []): self
    {
        $where = implode(', ', ['PATH', '/usr/sbin', ...$folders]);

        return new self('No program named '.implode(' or ', $names)." was found in {$where} or /usr/local/sbin. Install it: apt-get install {$package}", $package);
    }

    public static function named(string $variable, string $path): self
    {
        return new self("{$variable} is {$path}, which is no program that this user may run. Set it to the path of the program, or unset it to have PATH searched.", '');
    }

    public static function driver(string $extension, string $package): self
    {
        return new self("The PHP extension {$extension} is not loaded; a server cannot be asked whether it is ready without it. Install it: apt-get install {$package}", $package);
    }

    public static function extension(string $extension, string $package): self
    {
        return new self("The PHP extension {$extension} is not loaded; servers cannot be watched and ended without it. Install it: apt-get install {$package}", $package);
    }
}
