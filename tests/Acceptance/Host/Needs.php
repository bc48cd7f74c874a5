<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Host\WebStack;
use Headroom\Process\Programs;
use Headroom\Process\UnableToFindProgram;
use Headroom\Tests\Support\MissingServer;

/**
 * The programs that a test needs on this machine; MissingServer describes a test without them.
 */
final class Needs
{
    public static function webStack(): void
    {
        $missing = self::isThere(Programs::nginx(...)) ? 'fpm' : 'nginx';
        WebStack::isInstalled()
            || MissingServer::named($missing, 'nginx and PHP-FPM are not installed: bin/services install nginx fpm');
    }

    /** @param string|null $server as bin/services calls it, where that is not the program's name */
    public static function program(string $name, string $package, ?string $server = null): void
    {
        Programs::optional($name) !== null
            || MissingServer::named($server ?? $name, "{$name} is not installed: apt-get install {$package}");
    }

    public static function redis(): void
    {
        self::isThere(Programs::redis(...))
            || MissingServer::named('redis', 'Redis is not installed: bin/services install redis');
    }

    /** @param callable(): string $program */
    private static function isThere(callable $program): bool
    {
        try {
            return $program() !== '';
        } catch (UnableToFindProgram) {
            return false;
        }
    }
}
