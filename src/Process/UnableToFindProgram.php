<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Core\Permanent;
use RuntimeException;

/**
 * A program or a PHP extension is not installed.
 *
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
     * @param list<string> $folders further directories that were searched
     */
    public static function program(array $names, string $package, array $folders = []): self
    {
        $where = implode(', ', ['PATH', '/usr/sbin', ...$folders]);

        return new self(
            'No program named '.implode(' or ', $names)
                ." was found in {$where} or /usr/local/sbin. Install it: apt-get install {$package}",
            $package,
        );
    }

    public static function notExecutable(string $variable, string $path): self
    {
        return new self(
            "{$variable} is {$path}, which this user cannot run. Set it to the path of the program, or unset it to"
                .' search PATH.',
            '',
        );
    }

    public static function driver(string $extension, string $package): self
    {
        return new self(
            "The PHP extension {$extension} is not loaded; it is needed to test whether the server is ready."
                ." Install it: apt-get install {$package}",
            $package,
        );
    }

    public static function extension(string $extension, string $package): self
    {
        return new self(
            "The PHP extension {$extension} is not loaded; it is needed to stop servers. Install it:"
                ." apt-get install {$package}",
            $package,
        );
    }
}
